package io.multimed.server.dispatcher.statement;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Cancels the statement that a session currently runs on an engine, on request of another thread. Guarantees that
 * nothing else is canceled: neither a later statement of the same session, nor a statement of another client that uses
 * the connection afterwards. This requires a lock, because an engine receives a cancel request over a separate
 * connection and applies it to the statement that runs when the request arrives.
 */
public final class Cancellation {
    /** The SQLState of a statement that was canceled. */
    public static final String CANCELED = "57014";

    /** Longer than the time limit of the engines' drivers for a cancel request. */
    private static final long DELIVERY_SECONDS = 20;

    /**
     * Protects {@link #current}. Held during the network round trip of a cancel request: the thread that ran the
     * statement waits for the end of the request before the connection is used for another client.
     */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Canceler current;

    /** Whether a statement waits for its execution, and a cancel request must prevent the execution. */
    @GuardedBy("lock")
    private boolean waiting;

    /** Whether the current statement, or the last one, was canceled, or the waiting one. */
    private volatile boolean requested;

    /** Sends a cancel request to the engine; blocks until the engine has received it. */
    @FunctionalInterface
    public interface Canceler {
        public void cancel() throws SQLException;
    }

    /** Records that a statement begins to run. */
    public void begin(Canceler canceler) {
        lock.lock();
        try {
            requested = false;
            waiting = false;
            current = canceler;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a statement waits for its execution. A cancel request before {@link #beginUnlessCanceled} prevents
     * the execution. A statement of a commit group may need none; {@link #endWait} then ends the wait.
     */
    public void beginWait() {
        lock.lock();
        try {
            requested = false;
            waiting = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a statement begins to run together with others. A cancel request, also one that has arrived while
     * the statement waited, is only recorded in {@link #wasRequested}: the caller cancels the statement.
     */
    public void beginTogether() {
        lock.lock();
        try {
            waiting = false;
            current = () -> {};
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a statement was undone and waits again. A cancel request that has arrived since the statement began
     * also prevents the next execution.
     */
    public void waitAgain() {
        lock.lock();
        try {
            waiting = true;
        } finally {
            lock.unlock();
        }
    }

    /** Records that no statement waits. */
    public void endWait() {
        lock.lock();
        try {
            waiting = false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a statement begins to run, unless it was canceled while it waited.
     *
     * @throws SQLException 57014 if the statement was canceled
     */
    public void beginUnlessCanceled(Canceler canceler) throws SQLException {
        lock.lock();
        try {
            if (waiting && requested) {
                waiting = false;
                throw new SQLException("the statement was canceled before it ran", CANCELED);
            }
            begin(canceler);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that the statement has ended, and waits for a cancel request that is in progress.
     *
     * @throws SQLException 08006 if the wait takes too long; the connection must not be used again
     */
    public void end() throws SQLException {
        if (!awaitDelivery()) {
            throw new SQLException(
                    "the cancel request did not reach the engine in time; the connection is closed", "08006");
        }
        try {
            current = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that the statement has ended because its connection broke. Does not wait for a cancel request that is in
     * progress: there is no later statement that the request could reach.
     */
    public void abandon() {
        if (lock.tryLock()) {
            try {
                current = null;
            } finally {
                lock.unlock();
            }
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

    /** Cancels the statement, if one is running. */
    public void cancel() throws SQLException {
        lock.lock();
        try {
            if (current != null) {
                requested = true;
                current.cancel();
            } else if (waiting) {
                requested = true;
            }
        } finally {
            lock.unlock();
        }
    }

    public boolean wasRequested() {
        return requested;
    }
}
