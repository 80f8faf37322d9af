package io.multimed.server.node;

import io.multimed.engine.memory.ResultMeter;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The use of one engine connection, from the moment that a transaction is bound until it ends. Work for it runs on the node's threads; while none runs, it holds no thread.
 * Must be released exactly once in the end; releasing again does nothing.
 *
 * <p>One that only reads may be revoked while it is idle: busy - works transactionEnded - idle - {@link #run} - busy, and idle - {@link #revokeIfIdle} - revoked. Its connection is closed
 * then; work that comes later finds {@link #isRevoked}.
 */
public final class Lease {
    private static final Logger LOG = LoggerFactory.getLogger(Lease.class);
    private static final int REVOKED = -1;

    private final ComputationalNode node;
    private final Connection connection;
    private final boolean readsOnly;
    private final AtomicBoolean released = new AtomicBoolean();

    /** Works that run, or {@link #REVOKED}. The next one may begin before the thread of the one before has noticed its end. */
    private final AtomicInteger running = new AtomicInteger(1);

    private volatile boolean revocable;
    private volatile boolean retained;
    private volatile boolean transactionEnded;
    private volatile boolean sessionChanged;
    private volatile boolean closesOnRelease;
    private volatile long idleSince;

    /** @param readsOnly whether the request was for reads only */
    Lease(ComputationalNode node, Connection connection, boolean readsOnly) {
        this.readsOnly = readsOnly;
        this.node = node;
        this.connection = connection;
    }

    public ComputationalNode node() {
        return node;
    }

    boolean readsOnly() {
        return readsOnly;
    }

    public Connection connection() {
        return connection;
    }

    /** Runs work on one of the node's threads. There is always one for a leased connection, so nothing waits for another client. */
    public void run(Runnable work) {
        node.execute(() -> {
            transactionEnded = false;
            running.updateAndGet(count -> count == REVOKED ? REVOKED : count + 1);
            runTask(work);
        });
    }

    /** The last fence: work that fails by a defect must not keep the connection, of which the node has few. */
    void runTask(Runnable work) {
        try {
            ResultMeter.during(node.memory(), work);
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("{}: work on a connection failed; the connection is closed", node.name(), e);
            discard();
        } finally {
            taskEnded();
        }
    }

    /** A work has transactionEnded. */
    private void taskEnded() {
        idleSince = System.nanoTime();
        running.updateAndGet(count -> count == REVOKED ? REVOKED : count - 1);
    }

    /** From now on it may be revoked when it is idle for long: nothing but reads depends on it. */
    public void allowRevocation() {
        revocable = true;
    }

    /**
     * Leaves it to a client between its requests outside a transaction, where there is room for that: others keep half of the node's connections.
     *
     * @return whether it may stay
     */
    public boolean tryRetain() {
        retained = retained || node.tryRetain();
        return retained;
    }

    /** It is not retained after all. */
    public void endRetention() {
        if (retained) {
            retained = false;
            node.endRetention();
        }
    }

    /** Takes the connection away if it is revocable and has been idle for so long; returns whether it was. */
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

    /** Breaks off the result that streams on it, if it would be in the way of what comes next. */
    public void endStreaming() {
        node.engine().dialect().endStreaming(connection);
    }

    /** The engine has said that no transaction is open any more: there is nothing to roll back, until the next work runs. */
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

    /** Gives the connection back to the pool, which rolls back what is open. */
    public void release() {
        returnConnection(closesOnRelease);
    }

    /** Gives the connection back and has it closed: its state cannot be trusted any more. */
    public void discard() {
        returnConnection(true);
    }

    private void returnConnection(boolean broken) {
        if (released.compareAndSet(false, true)) {
            endRetention();
            node.returnConnection(this, broken);
        }
    }

    /** Whether the connection is known to be broken. */
    public boolean isBroken() {
        return isBroken(connection);
    }

    /** The same for any connection that is in use. */
    public static boolean isBroken(Connection pooled) {
        try {
            return pooled.isClosed() || pooled.unwrap(Connection.class).isClosed();
        } catch (SQLException e) {
            return true;
        }
    }
}
