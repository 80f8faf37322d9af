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
 * A Computational Node (paper §3.3.1): an engine with its connection pool and the threads that talk to it.
 *
 * <p>There are as many threads as connections. A request for a connection waits in a queue of its own, first come first served and without a thread,
 * until one of the connections is free; work for a connection that is leased already goes straight to the threads. So a leased connection always finds a
 * thread, and a thousand clients on sixteen connections can neither starve nor deadlock each other. The queue holds at most one request per client.
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

    /** All connections are free. */
    private final Condition idle = lock.newCondition();

    private final ArrayDeque<LeaseRequest> waiting = new ArrayDeque<>();
    private int free;

    /** Changed under {@link #lock}, so that whoever closes the node and then finds it idle can rely on it. */
    private volatile boolean admits = true;

    /** Leases that live; at most as many as connections. */
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

    /** Connections that stay with clients between their requests outside of transactions. */
    private final AtomicInteger retained = new AtomicInteger();

    private final LongAdder reads = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private volatile NodeState state = NodeState.OFFLINE;

    private final SqlDialect dialect;

    /** Null while the engine is not reachable. Replaced only by the node's owner. */
    private volatile @Nullable ConnectionPool pool;

    /**
     * Connections on which the engine refuses changes, if those of {@link #pool} permit them; null if all connections
     * are alike. Replaced together with {@link #pool}.
     */
    private volatile @Nullable ConnectionPool readers;

    /** What is said of the last failure; shown by status. */
    private volatile @Nullable String trouble;

    /**
     * @param ordinal the node's place in the System Model
     * @param cores as in the System Model, for display
     * @param connections number of concurrent transactions
     * @param memory for the requests and results of clients
     * @param criticalThreads receive failures of the node's threads that would leave clients waiting
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

    /** Whether the node lets transactions in when it is online. */
    public boolean admits() {
        return admits;
    }

    /** Lets nobody in any more, or again. What runs goes on, and so does what waits for a connection already. */
    public void admit(boolean open) {
        lock.lock();
        try {
            admits = open;
        } finally {
            lock.unlock();
        }
        LOG.info("{} takes {} transactions", name, open ? "new" : "no more");
    }

    /**
     * Waits until no transaction runs here.
     *
     * @return whether that came in time; final if the node does not admit new ones
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

    /** Gives the node its connections, or takes them away; those in use end with their transactions. */
    public void attach(@Nullable ConnectionPool next) {
        attach(next, null);
    }

    /**
     * The same, for a node on which clients may write.
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

    /** The connections of transactions that run here. */
    public OpenConnections inUse() {
        return inUse;
    }

    /** Whether somebody waits for a connection and the pool has none at all: it could not open any for a while. */
    public boolean isStarved() {
        ConnectionPool current = pool;
        ConnectionPool reading = readers;
        return (current != null && current.isStarved()) || (reading != null && reading.isStarved());
    }

    /** Moves the node to another state; only its owner (the satellite's applier, the master's watcher) calls this. */
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

    /** Transactions that run or wait here, the measure of load (paper §3.3.2), as a share of the connections. */
    public double load() {
        lock.lock();
        try {
            return (double) (connections - free + waiting.size()) / connections;
        } finally {
            lock.unlock();
        }
    }

    /** Leased connections at this moment. */
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

    /** Asks for a connection; the request is answered on one of the node's threads, in the order of asking. */
    public void lease(LeaseRequest request) {
        switch (ask(request)) {
            case TAKEN -> execute(() -> connect(request));
            case REFUSED ->
                execute(() -> request.refused(new SQLException(name + " takes no more transactions", "57P03")));
            case WAITS -> LOG.trace("{}: one more waits", name);
        }
    }

    /** Runs work on one of the node's threads. At most as many at once as there are connections. */
    void execute(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            work.run(); // the node is shutting down: what is left is giving things back
        }
    }

    /** Whether one more connection may stay with a client that reads a result outside a transaction; it is counted then. */
    boolean tryRetain() {
        int most = Math.max(1, connections / 2);
        return retained.getAndUpdate(count -> Math.min(most, count + 1)) < most;
    }

    void endRetention() {
        retained.decrementAndGet();
    }

    /**
     * Takes connections back from readers that have asked for nothing for so long; returns at once.
     *
     * @param most how many of them
     */
    public void revokeIdle(long nanos, int most) {
        int revoked = 0;
        for (Lease lease : leases) {
            if (revoked < most && lease.revokeIfIdle(nanos)) {
                revoked++;
            }
        }
    }

    /** How many wait for a connection. */
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
                current.evict(connection); // closes it; a close of our own would find nothing to reset
            } else {
                close(connection, lease);
            }
        } catch (SQLException e) {
            LOG.debug("{}: a connection did not close cleanly", name, e);
        } finally {
            grantNext();
        }
    }

    /** The pool does not notice all ways of beginning a transaction; one that is known to have ended costs nothing. */
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

    /** A place became free: it goes to whoever waits longest. */
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
            return attached(reads).getConnection(); // another thread has attached new pools: the engine is back
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
