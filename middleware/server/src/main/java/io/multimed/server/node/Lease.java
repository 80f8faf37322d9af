// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.memory.ResultMeter;
import io.multimed.server.node.task.CallingThread;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The use of one engine connection, from the binding of a transaction to its end. Tasks on the connection run on the
 * node's threads, or on that of the client ({@link CallingThread}); between two tasks the lease holds no thread. The
 * owner must release the lease exactly once; further releases have no effect.
 *
 * <p>A lease that serves only reads may be revoked while it is idle. States: busy - last task ended - idle - {@link
 * #submit} - busy, and idle - {@link #revokeIfIdle} - revoked. A revoked lease has no connection; a later task finds
 * {@link #isRevoked}. Transitions are atomic updates of {@link #running}.
 */
public final class Lease {
    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);
    private static final int REVOKED = -1;

    private final ComputationalNode node;
    private final Connection connection;
    private final @Nullable String role;
    private final boolean readsOnly;
    private final long session;
    private final @Nullable CallingThread caller;
    private final int generation;
    private final AtomicBoolean released = new AtomicBoolean();

    /**
     * Number of running tasks, or {@link #REVOKED}. A task may begin before the thread of the previous one has recorded
     * its end.
     */
    private final AtomicInteger running = new AtomicInteger(1);

    private volatile boolean revocable;
    private volatile boolean retained;
    private volatile boolean transactionEnded;
    private volatile boolean sessionChanged;

    /** The time since which the initial state of the session was not restored, by nanoTime; 0 if it was. */
    private volatile long unresetSince;

    private volatile boolean closesOnRelease;
    private volatile long idleSince;

    /**
     * @param request the request that receives the connection
     * @param generation of the node's connections, before this one was taken
     * @param unresetSince the time since which the initial state of the session was not restored; 0 if it was
     */
    Lease(ComputationalNode node, Connection connection, LeaseRequest request, int generation, long unresetSince) {
        this.caller = request.caller();
        this.role = request.role();
        this.readsOnly = request.readsOnly();
        this.session = request.session();
        this.generation = generation;
        this.unresetSince = unresetSince;
        this.node = node;
        this.connection = connection;
    }

    public ComputationalNode node() {
        return node;
    }

    @Nullable
    String role() {
        return role;
    }

    boolean readsOnly() {
        return readsOnly;
    }

    public Connection connection() {
        return connection;
    }

    /**
     * Runs a task on the thread that waits for it, otherwise on one of the node's threads. A leased connection always
     * finds a free thread, so the task does not wait for other clients.
     */
    public void submit(Runnable work) {
        node.execute(caller, () -> {
            transactionEnded = false;
            running.updateAndGet(count -> count == REVOKED ? REVOKED : count + 1);
            runTask(work);
        });
    }

    /**
     * Runs a task on the current thread. A task that fails because of a defect must not keep the connection, of which
     * the node has few.
     */
    void runTask(Runnable work) {
        try {
            ResultMeter.during(node.memory(), work);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("{}: a task on a connection failed; closing the connection", node.name(), e);
            discard();
        } finally {
            taskEnded();
        }
    }

    /** Records the end of a task, and the beginning of the idle time if no other task runs. */
    private void taskEnded() {
        idleSince = System.nanoTime();
        running.updateAndGet(count -> count == REVOKED ? REVOKED : count - 1);
    }

    /** Permits the node to revoke the lease when it has been idle for long, because only reads depend on it. */
    public void allowRevocation() {
        revocable = true;
    }

    /**
     * Retains the connection for a client between its requests outside a transaction, if the node's limit permits it.
     * The other half of the node's connections remains available to other clients.
     *
     * @return whether the connection is retained
     */
    public boolean tryRetain() {
        retained = retained || node.tryRetain();
        return retained;
    }

    /** Ends the retention of {@link #tryRetain}; no effect if the connection is not retained. */
    public void endRetention() {
        if (retained) {
            retained = false;
            node.endRetention();
        }
    }

    /** Records that the client is active, although it needs no task on the connection. */
    public void touch() {
        idleSince = System.nanoTime();
    }

    /**
     * Revokes the lease if revocation is permitted and the lease has been idle for the given time. Returns whether it
     * was revoked.
     */
    boolean revokeIfIdle(long idleNanos) {
        boolean revoked = revocable
                && running.get() == 0
                && System.nanoTime() - idleSince >= idleNanos
                && running.compareAndSet(0, REVOKED);
        if (revoked) {
            node.execute(this::release);
        }
        return revoked;
    }

    public boolean isRevoked() {
        return running.get() == REVOKED;
    }

    /** Discards the rest of a result that the engine is streaming, if it would block the next statement. */
    public void endStreaming() {
        node.engine().dialect().streaming().endStreaming(connection);
    }

    /**
     * Records that the engine has reported the end of the transaction. No rollback is necessary unless another task
     * runs.
     */
    public void markTransactionEnded() {
        transactionEnded = true;
    }

    /**
     * Records that a statement may have changed the engine's session: its initial state is restored before the
     * connection returns to the pool.
     */
    public void markSessionChanged() {
        sessionChanged = true;
    }

    /** Records whether the end of the transaction has restored the initial state of the session. */
    public void markReset(boolean reset) {
        if (reset) {
            unresetSince = 0;
        } else if (unresetSince == 0) {
            long now = System.nanoTime();
            unresetSince = now == 0 ? 1 : now;
        }
    }

    /** Returns whether the initial state of the session must be restored before another client uses the connection. */
    boolean isUnreset() {
        return unresetSince != 0;
    }

    /** Returns the connection as one that its session leaves without a reset. */
    UnresetConnections.Left left() {
        return new UnresetConnections.Left(session, connection, generation, unresetSince, System.nanoTime());
    }

    /** Returns whether the engine has reported that its session has changed: no other client may use it. */
    boolean hasReportedChanges() {
        try {
            return node.engine().dialect().sessions().hasReportedChanges(connection);
        } catch (SQLException e) {
            LOG.debug("{}: a connection does not know whether its session has changed", node.name(), e);
            return true;
        }
    }

    boolean isSessionChanged() {
        return sessionChanged;
    }

    boolean isTransactionEnded() {
        return transactionEnded;
    }

    /** Closes the connection at the end of the transaction instead of returning it to the pool. */
    public void closeOnRelease() {
        closesOnRelease = true;
    }

    /** Returns the connection to the pool, which rolls back an open transaction. */
    public void release() {
        returnConnection(closesOnRelease);
    }

    /**
     * Returns the connection and closes it, because its state is unknown. The engine may have restarted, or may follow
     * no master any more: the other connections are examined again.
     */
    public void discard() {
        node.verified().clear();
        returnConnection(true);
    }

    private void returnConnection(boolean broken) {
        if (released.compareAndSet(false, true)) {
            endRetention();
            node.returnConnection(this, broken);
        }
    }

    /**
     * Returns whether the node has renewed its connections meanwhile: this one must not be used after its transaction.
     */
    boolean isOutdated() {
        return generation != node.generation();
    }

    /** Returns whether the connection of a satellite is known to show all that its applier has seen. */
    public boolean isVerified() throws SQLException {
        return !node.engine().hasStandbys() || node.verified().contains(connection.unwrap(Connection.class));
    }

    /** Records that the connection has shown everything that was published when it was opened. */
    public void markVerified() throws SQLException {
        node.verified().add(connection.unwrap(Connection.class));
    }

    /** Returns whether the connection may hold prepared statements from before a change of the schema. */
    boolean mayHaveStalePlans() throws SQLException {
        return node.plans().mayBeStale(connection.unwrap(Connection.class));
    }

    /**
     * Makes the connection forget prepared statements if they may be from before a change of the schema. Called before
     * each statement, from the first use of the connection on, unless the connection belongs to one client, whose SQL
     * may have prepared statements. Costs a round trip once after a change.
     */
    public void discardStalePlans() throws SQLException {
        node.plans()
                .discardStale(
                        connection.unwrap(Connection.class),
                        () -> node.engine().dialect().transactions().discardPlans(connection));
    }

    /** Records that the open transaction may have changed the schema: its prepared statements may be outdated. */
    public void outdatePlans() throws SQLException {
        node.plans().outdate(connection.unwrap(Connection.class));
    }

    /** Returns whether the connection is known to be broken. */
    public boolean isBroken() {
        return isBroken(connection);
    }

    /** Returns whether a connection in use is known to be broken. */
    public static boolean isBroken(Connection pooled) {
        try {
            return pooled.isClosed() || pooled.unwrap(Connection.class).isClosed();
        } catch (SQLException e) {
            return true;
        }
    }
}
