package io.multimed.server.node;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.pool.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Computational Node (paper §3.3.1): an engine with its connection pool and the threads that use it.
 *
 * <p>The node has as many threads as connections. A request for a connection waits in a FIFO queue, without a thread,
 * until a connection is free. A task for a leased connection goes directly to the threads. Therefore a leased
 * connection always finds a free thread, and a thousand clients on sixteen connections can neither starve nor deadlock
 * each other. The queue holds at most one request per client.
 */
public final class ComputationalNode implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ComputationalNode.class);

    private final String name;
    private final int ordinal;
    private final String cores;
    private final Engine engine;
    private final ExecutorService threads;
    private final OpenConnections inUse;
    private final int connections;
    private final MemoryBudget memory;

    /** Protects {@link #free} and {@link #waiting}; held for a few instructions, never over JDBC. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when all connections are free. */
    private final Condition idle = lock.newCondition();

    private final ArrayDeque<LeaseRequest> waiting = new ArrayDeque<>();
    private int free;

    /** Changed under {@link #lock}, so that a thread that has closed the node and then finds it idle can rely on it. */
    private volatile boolean admits = true;

    /** Active leases; at most as many as connections. */
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

    /** Number of connections that clients retain between their requests outside a transaction. */
    private final AtomicInteger retained = new AtomicInteger();

    private final LongAdder reads = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private volatile NodeState state = NodeState.OFFLINE;

    private final SqlDialect dialect;

    /** Null while the engine is not reachable. Replaced only by the owner of the node. */
    private volatile @Nullable ConnectionPool pool;

    /**
     * Connections on which the engine refuses changes, if those of {@link #pool} permit them; null if all connections
     * are alike. Replaced together with {@link #pool}.
     */
    private volatile @Nullable ConnectionPool readers;

    /** Reason of the last failure; shown by the status report. */
    private volatile @Nullable String trouble;

    /**
     * Creates a node without connections; {@link #attach} provides them.
     *
     * @param ordinal the node's position in the System Model
     * @param cores the node's cores as in the System Model, for display
     * @param connections maximum number of concurrent transactions
     * @param memory budget for the requests and results of clients
     * @param criticalThreads receives failures of the node's threads that would leave clients waiting
     */
    public ComputationalNode(
            String name,
            int ordinal,
            String cores,
            Engine engine,
            int connections,
            MemoryBudget memory,
            CriticalThreads criticalThreads) {
        this.memory = memory;
        this.name = name;
        this.ordinal = ordinal;
        this.cores = cores;
        this.engine = engine;
        this.connections = connections;
        this.free = connections;
        this.inUse = new OpenConnections(engine);
        this.dialect = engine.dialect();
        this.threads = Executors.newFixedThreadPool(connections, new NamedThreads(name, criticalThreads));
    }

    public String name() {
        return name;
    }

    public int ordinal() {
        return ordinal;
    }

    public String cores() {
        return cores;
    }

    public Engine engine() {
        return engine;
    }

    public NodeState state() {
        NodeState current = state;
        if (admits || current != NodeState.ONLINE) {
            return current;
        }
        return active() == 0 ? NodeState.DRAINED : NodeState.DRAINING;
    }

    /** Returns whether the node accepts new transactions when it is online. */
    public boolean admits() {
        return admits;
    }

    /**
     * Opens or closes the node for new transactions. Running transactions, and requests that already wait for a
     * connection, are not affected.
     */
    public void admit(boolean open) {
        lock.lock();
        try {
            admits = open;
        } finally {
            lock.unlock();
        }
        LOG.info("{} accepts {} transactions", name, open ? "new" : "no more");
    }

    /**
     * Waits until no transaction runs on the node.
     *
     * @return false if the time was not sufficient; true is final if the node is closed for new transactions
     */
    public boolean awaitIdle(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (free < connections && left > 0) {
                left = idle.awaitNanos(left);
            }
            return free == connections;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sets the connection pool, or removes it if null. Connections in use are closed at the end of their transactions.
     */
    public void attach(@Nullable ConnectionPool next) {
        attach(next, null);
    }

    /**
     * Sets the connection pools of a node on which clients may write.
     *
     * @param nextReaders connections on which the engine refuses changes; they count against the node's limit of
     * connections in use, too
     */
    public void attach(@Nullable ConnectionPool next, @Nullable ConnectionPool nextReaders) {
        ConnectionPool old = pool;
        ConnectionPool oldReaders = readers;
        pool = next;
        readers = nextReaders;
        for (ConnectionPool replaced : new ConnectionPool[] {old, oldReaders}) {
            if (replaced != null) {
                replaced.close();
            }
        }
    }

    /**
     * Closes all existing connections, those in use after their transaction, because the schema information that their
     * drivers have cached is outdated. Pinned connections remain.
     */
    public void renewConnections() {
        for (ConnectionPool current : new ConnectionPool[] {pool, readers}) {
            if (current != null) {
                current.renew();
            }
        }
    }

    /** Returns the connections of the transactions that run on the node. */
    public OpenConnections inUse() {
        return inUse;
    }

    /**
     * Returns whether requests wait for a connection and the pool has none at all, because it could not open any for a
     * while.
     */
    public boolean isStarved() {
        ConnectionPool current = pool;
        ConnectionPool reading = readers;
        return (current != null && current.isStarved()) || (reading != null && reading.isStarved());
    }

    /**
     * Changes the state of the node. Called only by the owner of the node: the satellite's applier, or the master's
     * maintenance thread.
     */
    public void setState(NodeState next, @Nullable String reason) {
        if (state != next) {
            LOG.info("{} is {}{}", name, next, reason == null ? "" : ": " + reason);
        }
        state = next;
        trouble = reason;
    }

    public @Nullable String trouble() {
        return trouble;
    }

    /**
     * Returns the number of running and waiting transactions as a share of the connections: the measure of load (paper
     * §3.3.2).
     */
    public double load() {
        lock.lock();
        try {
            return (double) (connections - free + waiting.size()) / connections;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of leased connections. */
    public int active() {
        lock.lock();
        try {
            return connections - free;
        } finally {
            lock.unlock();
        }
    }

    MemoryBudget memory() {
        return memory;
    }

    public int connections() {
        return connections;
    }

    public LongAdder reads() {
        return reads;
    }

    public LongAdder updates() {
        return updates;
    }

    /** Requests a connection. The node answers requests in FIFO order, on one of its threads. */
    public void lease(LeaseRequest request) {
        switch (ask(request)) {
            case TAKEN -> execute(() -> connect(request));
            case REFUSED ->
                execute(() -> request.refused(new SQLException(
                        name + " accepts no new transactions: an administrator is draining it", "57P03")));
            case WAITS -> LOG.trace("{}: one more waits", name);
        }
    }

    /** Runs a task on one of the node's threads. At most as many tasks run concurrently as there are connections. */
    void execute(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            work.run(); // the node is shutting down, so the remaining tasks only return connections
        }
    }

    /**
     * Returns whether one more connection may be retained by a client that reads a result outside a transaction, and
     * counts it. At most half of the node's connections can be retained.
     */
    boolean tryRetain() {
        int most = Math.max(1, connections / 2);
        return retained.getAndUpdate(count -> Math.min(most, count + 1)) < most;
    }

    void endRetention() {
        retained.decrementAndGet();
    }

    /**
     * Revokes the connections of readers that have been idle for a time; returns immediately.
     *
     * @param nanos minimum idle time
     * @param most maximum number of connections to revoke
     */
    public void revokeIdle(long nanos, int most) {
        int revoked = 0;
        for (Lease lease : leases) {
            if (revoked < most && lease.revokeIfIdle(nanos)) {
                revoked++;
            }
        }
    }

    /** Returns the number of requests that wait for a connection. */
    public int waitingRequests() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    void returnConnection(Lease lease, boolean broken) {
        leases.remove(lease);
        Connection connection = lease.connection();
        inUse.remove(connection);
        try {
            ConnectionPool current = lease.readsOnly() ? attachedFor(true) : pool;
            if (broken) {
                dialect.abandonStreaming(connection);
            } else {
                dialect.endStreaming(connection);
            }
            if (current != null && (broken || dialect.hasReportedChanges(connection))) {
                current.evict(
                        connection); // evict() closes the connection; after a close() of our own it would find nothing
                // to reset
            } else {
                close(connection, lease);
            }
        } catch (SQLException e) {
            LOG.debug("{}: a connection did not close cleanly", name, e);
        } finally {
            grantNext();
        }
    }

    /**
     * Returns a connection to its pool. Ends a transaction that the pool may not know of. The rollback is skipped if
     * the transaction is known to have ended, which saves a round trip.
     */
    private void close(Connection connection, Lease lease) throws SQLException {
        try (connection) {
            if (!lease.isTransactionEnded() && !connection.isClosed() && !connection.getAutoCommit()) {
                connection.rollback();
            }
            if (lease.isSessionChanged() && !connection.isClosed()) {
                connection.setAutoCommit(true);
                dialect.resetSession(connection);
            }
        }
    }

    private enum Answer {
        TAKEN,
        WAITS,
        REFUSED
    }

    private Answer ask(LeaseRequest request) {
        lock.lock();
        try {
            if (!admits) {
                return Answer.REFUSED;
            }
            if (free == 0) {
                waiting.add(request);
                return Answer.WAITS;
            }
            free--;
            return Answer.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /** Passes a free connection to the request that has waited longest, if there is one. */
    private void grantNext() {
        LeaseRequest next = nextOrFree();
        if (next != null) {
            execute(() -> connect(next));
        }
    }

    private @Nullable LeaseRequest nextOrFree() {
        lock.lock();
        try {
            LeaseRequest next = waiting.poll();
            if (next == null) {
                free++;
                if (free == connections) {
                    idle.signalAll();
                }
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void connect(LeaseRequest request) {
        Lease lease;
        try {
            lease = new Lease(this, inUse.add(connection(request.readsOnly())), request.readsOnly());
            dialect.beginUse(lease.connection());
        } catch (SQLException e) {
            grantNext();
            request.refused(e);
            return;
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            grantNext();
            request.refused(new SQLException(
                    "node %s cannot be reached: %s".formatted(name, e),
                    e instanceof OutOfMemoryError ? "53200" : "XX000",
                    e));
            return;
        }
        leases.add(lease);
        lease.runTask(() -> request.leased(lease));
    }

    private Connection connection(boolean reads) throws SQLException {
        ConnectionPool current = attached(reads);
        try {
            return current.getConnection();
        } catch (SQLException e) {
            ConnectionPool next = attachedFor(reads);
            if (next == null || next == current) {
                throw unreachable(e);
            }
        }
        try {
            return attached(reads)
                    .getConnection(); // another thread has attached new pools, so the engine is reachable again
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    private @Nullable ConnectionPool attachedFor(boolean reads) {
        ConnectionPool reading = readers;
        return reads && reading != null ? reading : pool;
    }

    private ConnectionPool attached(boolean reads) throws SQLException {
        ConnectionPool current = attachedFor(reads);
        if (current == null) {
            throw new SQLException(
                    "node %s is %s%s".formatted(name, state, trouble == null ? "" : ": " + trouble), "57P03");
        }
        return current;
    }

    private SQLException unreachable(SQLException cause) {
        return new SQLException("node %s cannot be reached: %s".formatted(name, rootMessage(cause)), "08001", cause);
    }

    private static String rootMessage(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return String.valueOf(root.getMessage());
    }

    @Override
    public void close() {
        NamedThreads.stop(threads);
        attach(null);
    }
}
