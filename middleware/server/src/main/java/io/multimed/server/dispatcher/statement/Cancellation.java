// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Cancels the request that a session handles, on request of another thread. A cancel names its request by number, and
 * has an effect on this request only: on the wait or the statement that is current, or, if there is none, on the next
 * one of the same request.
 *
 * <p>An engine receives a cancel request over a separate connection, and applies the request to the statement that runs
 * when it arrives. {@link #end} therefore waits until the engine has received what {@link #deliver} is sending: neither
 * a later statement of the session, nor a statement of another client that uses the connection afterwards, is canceled.
 */
public final class Cancellation {
    /** The SQLState of a statement that was canceled. */
    public static final String CANCELED = "57014";

    /** A message to the client that has canceled a request. */
    public static final String REASON = "canceling statement due to user request";

    /** Requests that may be canceled before they arrive: as many as a client may send ahead. */
    private static final int MAX_EARLY = 64;

    private final Patience patience;

    /** Protects all fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a delivery has ended. */
    private final Condition delivered = lock.newCondition();

    /** The number of the request that is being handled, or of the last one. */
    @GuardedBy("lock")
    private int request;

    /** Whether the request has not been answered. */
    @GuardedBy("lock")
    private boolean open;

    /** Requests that were canceled before the session began to handle them. */
    @GuardedBy("lock")
    private final Set<Integer> early = new HashSet<>();

    /** Whether the client has gone, so that all further requests are canceled. */
    @GuardedBy("lock")
    private boolean over;

    /** What the session waits for, or runs on an engine. */
    @GuardedBy("lock")
    private @Nullable Step current;

    /** Whether the request was canceled. Written under the lock. */
    private volatile boolean requested;

    /** Whether its time limit has canceled the request. Written under the lock. */
    private volatile boolean expired;

    /** Ends a wait, or sends a cancel request to the engine and blocks until the engine has received it. */
    @FunctionalInterface
    public interface Canceler {
        public void cancel() throws SQLException;
    }

    /**
     * Times, in milliseconds.
     *
     * @param delivery maximum wait of {@link #end} for a delivery
     * @param certain a delivery that takes longer may still be on its way when the canceler has given up; shorter than
     *     the time limit of the engines' drivers for a cancel request
     */
    record Patience(long delivery, long certain) {}

    /** A wait, or a statement on an engine. Its fields are guarded by the lock. */
    private static final class Step {
        private final Canceler canceler;
        private int inDelivery;
        private boolean wasSent;
        private boolean isUncertain;

        Step(Canceler canceler) {
            this.canceler = canceler;
        }
    }

    public Cancellation() {
        this(new Patience(20_000, 9_000));
    }

    Cancellation(Patience patience) {
        this.patience = patience;
    }

    /** Records that the session begins to handle a request. Does not block. */
    public void beginRequest(int number) {
        lock.lock();
        try {
            request = number;
            open = true;
            current = null;
            boolean wasEarly = early.remove(number);
            requested = over || wasEarly;
            expired = false;
            early.removeIf(each -> each - number < 0);
        } finally {
            lock.unlock();
        }
    }

    /** Records that the request is answered. Does not block. */
    public void endRequest() {
        lock.lock();
        try {
            open = false;
            current = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Cancels a request. Has no effect if the request is answered already. Does not block.
     *
     * @return whether {@link #deliver} must be called
     */
    public boolean request(int number) {
        lock.lock();
        try {
            if (number - request > 0 && early.size() < MAX_EARLY) {
                early.add(number);
            }
            requested |= open && number == request;
            return open && number == request && current != null;
        } finally {
            lock.unlock();
        }
    }

    /** Cancels a request because its time limit has expired. Otherwise as {@link #request}. */
    public boolean expire(int number) {
        lock.lock();
        try {
            expired |= open && number == request && !requested;
            return request(number);
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the present request and all later ones, because the client has gone. Otherwise as {@link #request}. */
    public boolean requestAll() {
        lock.lock();
        try {
            over = true;
            requested |= open;
            return open && current != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a statement begins to run, or a wait begins. Nothing remains of an earlier one.
     *
     * @throws SQLException 57014 if the request was canceled before; nothing has begun then
     */
    public void beginUnlessCanceled(Canceler canceler) throws SQLException {
        lock.lock();
        try {
            if (requested) {
                throw new SQLException(REASON, CANCELED);
            }
            current = new Step(canceler);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that a statement begins to run, even if it was canceled before: the caller asks {@link #wasRequested}.
     */
    public void begin(Canceler canceler) {
        lock.lock();
        try {
            current = new Step(canceler);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records that the statement has ended, and waits for a cancel request that is in delivery. After this, no request
     * can reach a later statement of the connection.
     *
     * @return whether a cancel request was sent to the engine; the engine may have received it after the end of the
     *     statement, and keep it for the next one
     * @throws SQLException 08006 if it is not certain that the request has arrived; the connection must not be used
     *     again
     */
    public boolean end() throws SQLException {
        lock.lock();
        try {
            Step ended = current;
            current = null;
            if (ended == null) {
                return false;
            }
            if (!awaitDelivery(ended) || ended.isUncertain) {
                throw new SQLException(
                        "the cancel request did not reach the engine in time; the connection is closed", "08006");
            }
            return ended.wasSent;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean awaitDelivery(Step step) {
        long left = TimeUnit.MILLISECONDS.toNanos(patience.delivery());
        try {
            while (step.inDelivery > 0 && left > 0) {
                left = delivered.awaitNanos(left);
            }
            return step.inDelivery == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * Records that a wait has ended, or that the statement has ended because its connection broke. Does not wait for a
     * cancel request that is in delivery: there is no later statement that the request could reach.
     */
    public void abandon() {
        lock.lock();
        try {
            current = null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends the wait, or sends a cancel request for the statement, if the request was canceled. May be repeated: an
     * engine ignores a cancel request that arrives before the statement. Blocks.
     *
     * @return whether a wait or a statement of the request goes on, so that the call must be repeated later
     */
    public boolean deliver() throws SQLException {
        Step step = beginDelivery();
        if (step == null) {
            return false;
        }
        long begun = System.nanoTime();
        try {
            step.canceler.cancel();
        } finally {
            endDelivery(step, System.nanoTime() - begun);
        }
        return goesOn();
    }

    private @Nullable Step beginDelivery() {
        lock.lock();
        try {
            Step step = requested ? current : null;
            if (step != null) {
                step.inDelivery++;
                step.wasSent = true;
            }
            return step;
        } finally {
            lock.unlock();
        }
    }

    private void endDelivery(Step step, long nanos) {
        lock.lock();
        try {
            step.inDelivery--;
            step.isUncertain |= nanos > TimeUnit.MILLISECONDS.toNanos(patience.certain());
            delivered.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean goesOn() {
        lock.lock();
        try {
            return requested && current != null;
        } finally {
            lock.unlock();
        }
    }

    /** Cancels what runs now, where no requests are counted. Blocks. */
    public void cancel() throws SQLException {
        boolean runs;
        lock.lock();
        try {
            runs = current != null;
            requested |= runs;
        } finally {
            lock.unlock();
        }
        if (runs) {
            deliver();
        }
    }

    /** Returns whether the present request was canceled. */
    public boolean wasRequested() {
        return requested;
    }

    /** Returns whether the present request was canceled by its time limit, and not by the client. */
    public boolean hasExpired() {
        return expired;
    }
}
