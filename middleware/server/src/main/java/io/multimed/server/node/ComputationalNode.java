// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.model.value.CoreSet;
import io.multimed.server.node.task.CallingThread;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

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

    private static final String DAMAGED = "the data is damaged";

    private final String name;
    private final int ordinal;
    private volatile String cores;
    private final Engine engine;
    private final ExecutorService threads;
    private final OpenConnections inUse;
    private final int connections;
    private final MemoryBudget memory;

    private final LeaseQueue<LeaseRequest> queue;
    private final NodePools pools;
    private final UnresetConnections unreset;
    private final ReadLanes lanes;
    private final NodePause pause = new NodePause(this);
    private final PreparedPlans plans = new PreparedPlans();
    private final VerifiedConnections verified = new VerifiedConnections();

    /** Active leases; at most as many as connections. */
    private final Set<Lease> leases = ConcurrentHashMap.newKeySet();

    /** Number of connections that clients retain between their requests outside a transaction. */
    private final AtomicInteger retained = new AtomicInteger();

    private final LongAdder reads = new LongAdder();
    private final LongAdder sharedReads = new LongAdder();
    private final LongAdder updates = new LongAdder();
    private volatile NodeState state = NodeState.OFFLINE;

    /** Ends the waits of requests that have waited for too long; null before {@link #limitWaits}. */
    private volatile @Nullable WaitLimit waitLimit;

    private final SqlDialect dialect;

    /** Receives the changes of the state. */
    private volatile EventLog events = new EventLog();

    /** Reason of the last failure; shown by the status report. */
    private volatile @Nullable String trouble;

    /**
     * Creates a node without connections; {@link #attach} provides them.
     *
     * @param ordinal the node's position in the System Model
     * @param cores the node's cores as in the System Model
     * @param connections maximum number of concurrent transactions
     * @param memory budget for the requests and results of clients
     * @param criticalThreads receives failures of the node's threads that would leave clients waiting
     */
    public ComputationalNode(
            String name,
            int ordinal,
            CoreSet cores,
            Engine engine,
            int connections,
            MemoryBudget memory,
            CriticalThreads criticalThreads) {
        this(name, ordinal, cores, engine, connections, memory, criticalThreads, ReadLanes.Limits.DEFAULT);
    }

    /** @param limits of the node's lanes */
    ComputationalNode(
            String name,
            int ordinal,
            CoreSet cores,
            Engine engine,
            int connections,
            MemoryBudget memory,
            CriticalThreads criticalThreads,
            ReadLanes.Limits limits) {
        this.memory = memory;
        this.name = name;
        this.ordinal = ordinal;
        this.cores = cores.toString();
        this.engine = engine;
        this.connections = connections;
        this.queue = new LeaseQueue<>(connections);
        this.lanes = new ReadLanes(this, lanes(cores, connections), limits);
        this.pools = new NodePools(name, this::describeState);
        this.unreset = new UnresetConnections(connections);
        this.inUse = new OpenConnections(engine);
        this.dialect = engine.dialect();
        this.threads = new NamedThreads(name, criticalThreads).lastInFirstOut(connections);
    }

    /**
     * Returns the number of lanes: one per core, and at most half of the connections. The node's cores need not be
     * among those to which this process is bound.
     */
    private static int lanes(CoreSet cores, int connections) {
        int own = cores.isAll()
                ? Runtime.getRuntime().availableProcessors()
                : cores.cores().cardinality();
        return Math.max(1, Math.min(own, connections / 2));
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

    /** Records that the engine has been moved to other cores. */
    public void setCores(CoreSet others) {
        cores = others.toString();
        lanes.setMost(lanes(others, connections));
    }

    public Engine engine() {
        return engine;
    }

    public NodeState state() {
        NodeState current = state;
        if (admits() || current != NodeState.ONLINE) {
            return current;
        }
        return active() == 0 ? NodeState.DRAINED : NodeState.DRAINING;
    }

    /** Returns whether the node accepts new transactions when it is online. */
    public boolean admits() {
        return queue.admits();
    }

    /**
     * Opens or closes the node for new transactions. Running transactions, and requests that already wait for a
     * connection, are not affected.
     */
    public void admit(boolean open) {
        boolean changes = open != queue.admits();
        queue.admit(open);
        String accepts = open ? "accepts new transactions" : "accepts no more transactions";
        LOG.info("{} {}", name, accepts);
        if (changes) {
            events.add(EventLog.Severity.INFO, name, accepts);
        }
    }

    /** Returns the pause of the node, which an administrator may begin. */
    public NodePause pause() {
        return pause;
    }

    /** Makes all requests for connections wait, until {@link #release}. */
    void hold() {
        queue.hold();
    }

    /** Lets the requests continue that have waited because of {@link #hold}. */
    void release() {
        queue.release().forEach(this::grant);
    }

    /**
     * Waits until no transaction runs on the node.
     *
     * @return false if the time was not sufficient; true is final if the node is closed for new transactions
     */
    public boolean awaitIdle(long nanos) throws InterruptedException {
        return queue.awaitIdle(nanos);
    }

    /**
     * Sets the connection pool, or removes it if null. Transactions that are open on connections of the previous pools
     * are rolled back.
     */
    public void attach(@Nullable ConnectionPool next) {
        attach(next, null);
    }

    /**
     * Sets the connection pools of a node whose engine runs single reads on special connections.
     *
     * @param nextReaders connections for single reads; they count against the node's limit of connections in use, too
     */
    public void attach(@Nullable ConnectionPool next, @Nullable ConnectionPool nextReaders) {
        attach(next, nextReaders, null);
    }

    /**
     * Sets the connection pools of a node on which statements also run as engine roles.
     *
     * @param nextRoles opens the pool of a role, for transactions or for single reads; all connections in use count
     *     against the node's limit
     */
    public void attach(
            @Nullable ConnectionPool next, @Nullable ConnectionPool nextReaders, @Nullable RolePoolOpener nextRoles) {
        pools.attach(next, nextReaders, nextRoles);
        resetLeft(0);
    }

    /**
     * Closes all existing connections, those in use after their transaction, because the schema information that their
     * drivers have cached is outdated. Pinned connections remain.
     */
    public void renewConnections() {
        pools.renew();
        resetLeft(0);
    }

    /** Lets later transactions that run as roles open their connections again, because passwords have changed. */
    public void reopenRoles() {
        pools.reopenRoles();
    }

    /** Uses the last password that a client of a role has sent, for the connections that are opened from now on. */
    public void renewRolePassword(String role) {
        pools.renewRolePassword(role);
    }

    /** Closes the pools of roles that are not needed any more. Called periodically; may block for seconds. */
    public void closeUnusedRoles() {
        pools.closeUnusedRoles();
    }

    /** Closes the existing connections of roles, those in use after their transaction. */
    public void renewRoles() {
        pools.renewRoles();
    }

    /** Notes a change of the node's schema, which is visible now. */
    public void noteSchemaChange() {
        plans.noteSchemaChange();
    }

    /** Notes a change of the node's schema that becomes visible at some moment before {@link #endSchemaChange}. */
    public void beginSchemaChange() {
        plans.beginSchemaChange();
    }

    public void endSchemaChange() {
        plans.endSchemaChange();
    }

    VerifiedConnections verified() {
        return verified;
    }

    PreparedPlans plans() {
        return plans;
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
        return pools.isStarved();
    }

    /**
     * Changes the state of the node. Called only by the owner of the node: the satellite's applier, or the master's
     * maintenance thread.
     */
    public void setState(NodeState next, @Nullable String reason) {
        if (state != next) {
            String is = "is " + next + (reason == null ? "" : ": " + reason);
            LOG.atLevel(next.isAway() ? Level.WARN : Level.INFO).log("{} {}", name, is);
            events.add(severity(next), name, is);
        }
        state = next;
        trouble = reason;
    }

    /**
     * Reports that the engine has found damaged files, until the next change of the state. Called by any thread.
     *
     * @param message the engine's
     */
    public void reportDamage(String message) {
        String present = trouble;
        if (present == null || !present.startsWith(DAMAGED)) {
            String remark =
                    "%s: %s; make the copy again by satellite reseed, and check the disk".formatted(DAMAGED, message);
            trouble = remark;
            LOG.warn("{}: {}", name, remark);
            events.add(EventLog.Severity.WARNING, name, remark);
        }
    }

    private static EventLog.Severity severity(NodeState next) {
        return next.isAway() ? EventLog.Severity.WARNING : EventLog.Severity.INFO;
    }

    /** Sets the receiver of the changes of the node's state. */
    public void reportTo(EventLog log) {
        events = log;
    }

    /** Changes the remark only: the state may be that of an administrator's request. */
    public void setTrouble(@Nullable String remark) {
        trouble = remark;
    }

    public @Nullable String trouble() {
        return trouble;
    }

    /**
     * Returns the number of running and waiting transactions as a share of the connections: the measure of load (paper
     * §3.3.2).
     */
    public double load() {
        return queue.load() + (double) lanes.waiting() / connections;
    }

    /** Returns the number of leased connections. */
    public int active() {
        return queue.active();
    }

    public ReadLanes lanes() {
        return lanes;
    }

    int generation() {
        return pools.generation();
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

    /** Returns the number of reads, among {@link #reads}, that ran together with others in one message. */
    public LongAdder sharedReads() {
        return sharedReads;
    }

    public LongAdder updates() {
        return updates;
    }

    /** Requests a connection. The node answers requests in FIFO order. */
    public void lease(LeaseRequest request) {
        switch (queue.ask(request)) {
            case TAKEN -> grant(request);
            case REFUSED ->
                execute(() -> request.refused(new SQLException(
                        name + " accepts no new transactions: an administrator is draining it", "57P03")));
            case WAITS -> LOG.trace("{}: one more waits", name);
        }
    }

    /** Ends the wait of a request for a connection. Returns false if it does not wait; the request is answered then. */
    public boolean withdraw(LeaseRequest request) {
        return queue.withdraw(request);
    }

    /**
     * Limits the time for which requests wait for a connection, and reads for a lane. Called once, before the first
     * request.
     *
     * @param limit returns the present limit, which may change; zero for no limit
     * @param refusals counts the requests that are refused
     */
    public void limitWaits(Supplier<Duration> limit, Refusals refusals) {
        waitLimit = new WaitLimit(name, connections, queue, lanes, limit, refusals);
    }

    /** Applies the limit of {@link #limitWaits} to a wait, until {@link #endWait}. */
    public void beginWait(LimitedWait wait) {
        WaitLimit limit = waitLimit;
        if (limit != null) {
            limit.begin(wait);
        }
    }

    /** The turn of a request has come. */
    public void endWait(LimitedWait wait) {
        WaitLimit limit = waitLimit;
        if (limit != null) {
            limit.end(wait);
        }
    }

    /** Runs a task on the thread of a client if it waits for tasks, otherwise on one of the node's threads. */
    void execute(@Nullable CallingThread caller, Runnable work) {
        if (caller == null || !caller.offer(work)) {
            execute(work);
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
        return queue.waiting();
    }

    void returnConnection(Lease lease, boolean broken) {
        leases.remove(lease);
        Connection connection = lease.connection();
        inUse.remove(connection);
        boolean isLeft = false;
        try {
            ConnectionPool current = pools.attachedFor(lease.role(), lease.readsOnly());
            if (broken) {
                dialect.streaming().abandonStreaming(connection);
            } else {
                dialect.streaming().endStreaming(connection);
            }
            if (current != null && (broken || dialect.sessions().hasReportedChanges(connection))) {
                // evict() closes the connection; after a close() of our own it would find nothing to reset
                current.evict(connection);
            } else if (mayLeave(lease) && unreset.leave(lease.left())) {
                isLeft = true;
            } else {
                close(connection, lease, current);
            }
        } catch (SQLException e) {
            LOG.debug("{}: a connection did not close cleanly", name, e);
        } finally {
            if (!isLeft) {
                unreset.returned();
            }
            grantNext();
        }
    }

    /** Returns whether the connection of a request may be one that its session has left, or will leave. */
    private static boolean mayLeave(LeaseRequest request) {
        return request.role() == null && !request.readsOnly();
    }

    /** Returns whether a connection whose session is not in its initial state may wait for the same client. */
    private boolean mayLeave(Lease lease) throws SQLException {
        return lease.isUnreset()
                && lease.role() == null
                && !lease.readsOnly()
                && !lease.isBroken()
                && lease.isTransactionEnded()
                && !lease.isSessionChanged()
                && !lease.isOutdated()
                && !lease.connection().isReadOnly();
    }

    /**
     * Returns to the pool the connections that clients have left without a reset. Returns immediately. A connection
     * remains available to its client until a thread is there that resets it.
     *
     * @param nanos minimum time without a reset
     */
    public void resetLeft(long nanos) {
        for (int i = unreset.countOlder(nanos); i > 0; i--) {
            execute(() -> {
                UnresetConnections.Left older = unreset.takeOlder(nanos);
                if (older != null) {
                    try {
                        reset(older);
                    } finally {
                        unreset.returned();
                    }
                }
            });
        }
    }

    /** Restores the initial state of a session, and returns its connection to the pool; closes one that fails. */
    private void reset(UnresetConnections.Left left) {
        Connection connection = inUse.add(left.connection());
        try (connection) {
            reset(connection, pools.attachedFor(false));
        } catch (SQLException e) {
            LOG.debug("{}: a connection did not close cleanly", name, e);
        } finally {
            inUse.remove(connection);
        }
    }

    /**
     * Restores the initial state of a session; closes the connection if that fails. Called before the connection
     * returns to its pool, which passes the connection to another client at once.
     *
     * @param current the pool; null if the node has another one meanwhile, or none
     */
    private void reset(Connection connection, @Nullable ConnectionPool current) throws SQLException {
        boolean reset = false;
        try {
            if (!connection.isClosed()) {
                connection.setAutoCommit(true);
                dialect.sessions().resetSession(connection);
            }
            reset = true;
        } catch (SQLException e) {
            LOG.debug("{}: a connection could not be reset", name, e);
        } finally {
            if (!reset && current != null) {
                current.evict(connection);
            } else if (!reset) {
                connection.unwrap(Connection.class).close();
            }
        }
    }

    /**
     * Returns a connection to its pool. Ends a transaction that the pool may not know of. The rollback is skipped if
     * the transaction is known to have ended, which saves a round trip.
     */
    private void close(Connection connection, Lease lease, @Nullable ConnectionPool current) throws SQLException {
        try (connection) {
            try {
                if (!lease.isTransactionEnded() && !connection.isClosed() && !connection.getAutoCommit()) {
                    connection.rollback();
                }
            } finally {
                if (lease.isSessionChanged() || lease.isUnreset()) {
                    reset(connection, current);
                }
            }
        }
    }

    /** Passes a free connection to the request that has waited longest, if there is one. */
    private void grantNext() {
        LeaseRequest next = queue.nextOrFree();
        if (next != null) {
            grant(next);
        }
    }

    private void grant(LeaseRequest request) {
        execute(request.caller(), () -> connect(request));
    }

    private void connect(LeaseRequest request) {
        Lease lease;
        UnresetConnections.Left left = unreset.take(mayLeave(request) ? request.session() : 0);
        try {
            lease = lease(request, left);
        } catch (SQLException e) {
            unreset.returned();
            grantNext();
            request.refused(e);
            return;
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            unreset.returned();
            grantNext();
            request.refused(new SQLException(
                    "node %s cannot be reached: %s".formatted(name, e),
                    e instanceof OutOfMemoryError ? "53200" : "XX000",
                    e));
            return;
        }
        try {
            lease.discardStalePlans();
            dialect.sessions().beginUse(lease.connection());
        } catch (SQLException e) {
            lease.discard();
            request.refused(e);
            return;
        }
        leases.add(lease);
        lease.runTask(() -> request.leased(lease));
    }

    /** @param left a connection that its session has left without a reset; null for none */
    private Lease lease(LeaseRequest request, UnresetConnections.@Nullable Left left) throws SQLException {
        int generation = pools.generation();
        if (left != null) {
            if (mayLeave(request)
                    && left.session() == request.session()
                    && left.generation() == generation
                    && !left.isDoubtful()) {
                return new Lease(this, inUse.add(left.connection()), request, generation, left.since());
            }
            reset(left);
        }
        Connection connection = inUse.add(pools.connection(request.role(), request.readsOnly()));
        return new Lease(this, connection, request, generation, 0);
    }

    /** Returns the state and its reason, for the message of an error. */
    private String describeState() {
        String reason = trouble;
        return reason == null ? state.toString() : state + ": " + reason;
    }

    @Override
    public void close() {
        WaitLimit waits = waitLimit;
        if (waits != null) {
            waits.close();
        }
        lanes.close();
        NamedThreads.stop(threads);
        attach(null);
    }
}
