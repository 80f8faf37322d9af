package io.multimed.server.dispatcher.statement;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a session has an engine do at this moment, so that another thread can have it given up: that, and nothing that the same connection does later, perhaps for another client.
 * An engine is asked over a connection of its own, and what it takes for the running statement is whatever runs when the wish arrives.
 */
public final class Cancellation {
    /** Beyond what the engines' drivers allow themselves for a cancel. */
    private static final long DELIVERY_SECONDS = 20;

    /** Protects {@link #current}; held over the network while a cancel is under way, and whoever ran the statement waits for that before its connection goes to others. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Canceller current;

    /** Whether what runs, or ran last, was cancelled. */
    private volatile boolean happened;

    /** Asks the engine; blocks until it has been told. */
    @FunctionalInterface
    public interface Canceller {
        public void cancel() throws SQLException;
    }

    /** Something begins to run. */
    public void begin(Canceller canceller) {
        lock.lock();
        try {
            happened = false;
            current = canceller;
        } finally {
            lock.unlock();
        }
    }

    /**
     * It does not run any more; a cancel that is under way is waited for.
     *
     * @throws SQLException 08006 if that takes too long: the connection must not be used again
     */
    public void end() throws SQLException {
        if (!awaitDelivery()) {
            throw new SQLException("a cancel did not reach the engine in time", "08006");
        }
        try {
            current = null;
        } finally {
            lock.unlock();
        }
    }

    private boolean awaitDelivery() {
        try {
            return lock.tryLock() || lock.tryLock(DELIVERY_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Has it given up, if anything runs. */
    public void cancel() throws SQLException {
        lock.lock();
        try {
            if (current != null) {
                happened = true;
                current.cancel();
            }
        } finally {
            lock.unlock();
        }
    }

    public boolean hasHappened() {
        return happened;
    }
}
