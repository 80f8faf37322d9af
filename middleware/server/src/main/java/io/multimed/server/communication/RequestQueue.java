// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.server.communication.transport.ReceivedFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The requests that one client has sent ahead, and the progress of its session: which of several threads handles a
 * request, and which one releases the session's resources. A session is busy while one thread handles a request; a
 * session that is over stays busy, so that no further request begins. Thread-safe: a thread that finds the session not
 * busy owns the session until {@link #next}.
 */
final class RequestQueue {
    /** Maximum number of requests sent ahead, and of actions that wait for the end. */
    private static final int SENT_AHEAD = 64;

    /** Maximum time for a refused client to read the error and disconnect. */
    private static final long LEAVING_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final long mostBytes;
    private final Runnable tooMuch;

    /** Protects all fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<ReceivedFrame> waiting = new ArrayDeque<>();

    /** Size of the frames in {@link #waiting}. */
    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean busy;

    /** Time since which no request is being handled, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long idleSince = System.nanoTime();

    /** Time since which requests are being handled without a pause, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long busySince = System.nanoTime();

    @GuardedBy("lock")
    private State state = State.OPEN;

    /** Time since which the session is over, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long overSince;

    /** Actions that run when the session ends. */
    @GuardedBy("lock")
    private final List<Runnable> atEnd = new ArrayList<>();

    /** How far a session has come. A session never returns to an earlier state. */
    enum State {
        /** Requests are handled. */
        OPEN,

        /** The session was refused or has said goodbye: no further request is started. */
        LEAVING,

        /** The connection is closed. */
        DISCONNECTED,

        /** A thread releases the session's resources. */
        CLOSING,

        /** No request of the session runs, and none will run in the future. */
        CLOSED
    }

    /**
     * @param mostBytes a request is accepted in advance as long as those before it are not larger, in bytes
     * @param tooMuch runs when a client has sent too much ahead; must not block
     */
    RequestQueue(long mostBytes, Runnable tooMuch) {
        this.mostBytes = mostBytes;
        this.tooMuch = tooMuch;
    }

    /**
     * Returns whether the caller must handle the frame now. Otherwise the frame waits, or is released because the
     * session is over.
     *
     * @throws ProtocolException if the client has sent too many or too large requests ahead
     */
    boolean beginOrWait(ReceivedFrame frame) {
        lock.lock();
        try {
            if (state != State.OPEN) {
                frame.release();
                return false;
            }
            if (!busy) {
                busy = true;
                busySince = System.nanoTime();
                return true;
            }
            frame.reserve();
            waiting.add(frame);
            if (waiting.size() > SENT_AHEAD) {
                tooMuch.run();
                throw new ProtocolException("more than %d requests sent ahead".formatted(SENT_AHEAD));
            }
            if (bytes > mostBytes) {
                tooMuch.run();
                throw new ProtocolException(
                        "more than %d bytes of requests sent ahead: wait for answers, or raise listen.limits.queued-per-client"
                                .formatted(mostBytes));
            }
            bytes += frame.length();
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends a request, and returns the oldest one that was sent ahead; null if there is none, or if the session is over.
     *
     * @param release releases the session's resources; called if the session is over
     */
    @Nullable
    ReceivedFrame next(Runnable release) {
        boolean over;
        ReceivedFrame next;
        lock.lock();
        try {
            over = state != State.OPEN;
            next = over ? null : waiting.poll();
            bytes -= next == null ? 0 : next.length();
            busy = next != null || over;
            idleSince = System.nanoTime();
            busySince = idleSince;
        } finally {
            lock.unlock();
        }
        if (over) {
            release.run();
        }
        return next;
    }

    /** Prevents further requests. Returns whether a request was being handled. */
    boolean refuse() {
        return end(State.LEAVING);
    }

    /** Records the end of the connection. Returns whether a request was being handled. */
    boolean disconnect() {
        return end(State.DISCONNECTED);
    }

    private boolean end(State next) {
        lock.lock();
        try {
            boolean running = busy;
            busy = true;
            if (state == State.OPEN) {
                overSince = System.nanoTime();
            }
            advance(next);
            return running;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void advance(State next) {
        if (next.compareTo(state) > 0) {
            state = next;
        }
    }

    /** Returns whether a request is being handled, and since when this is so, or is not so. */
    Occupation occupation() {
        lock.lock();
        try {
            return new Occupation(busy, busy ? busySince : idleSince);
        } finally {
            lock.unlock();
        }
    }

    /** @param since by {@link System#nanoTime} */
    record Occupation(boolean busy, long since) {}

    /** Returns whether no further request is started. */
    boolean isOver() {
        lock.lock();
        try {
            return state != State.OPEN;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the client of a session that is over has had enough time to read the error. */
    boolean hasHadTimeToLeave() {
        lock.lock();
        try {
            return state != State.OPEN && System.nanoTime() - overSince > LEAVING_NANOS;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Marks the session as busy, as if it handled a request, if no request was handled for a time.
     *
     * @param limitNanos returns the time, 0 for no limit; called only if no request is being handled
     * @return whether the session was marked
     */
    boolean claimIfIdle(LongSupplier limitNanos) {
        lock.lock();
        try {
            if (busy || state != State.OPEN) {
                return false;
            }
            long limit = limitNanos.getAsLong();
            if (limit == 0 || System.nanoTime() - idleSince < limit) {
                return false;
            }
            busy = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Releases all waiting requests. Returns whether this is the first call, whose caller releases the resources. */
    boolean beginClosing() {
        lock.lock();
        try {
            boolean first = state.compareTo(State.CLOSING) < 0;
            advance(State.CLOSING);
            waiting.forEach(ReceivedFrame::release);
            waiting.clear();
            bytes = 0;
            return first;
        } finally {
            lock.unlock();
        }
    }

    /** Records that the resources are released, and runs the actions that wait for this. */
    void end() {
        List<Runnable> actions;
        lock.lock();
        try {
            advance(State.CLOSED);
            actions = List.copyOf(atEnd);
            atEnd.clear();
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    /**
     * Runs an action when the session has ended; immediately if that is already so. Beyond the bound the action is
     * dropped: a client repeats its query, and an earlier action answers it.
     */
    void whenEnded(Runnable action) {
        boolean now;
        lock.lock();
        try {
            now = state == State.CLOSED;
            if (!now && atEnd.size() < SENT_AHEAD) {
                atEnd.add(action);
            }
        } finally {
            lock.unlock();
        }
        if (now) {
            action.run();
        }
    }
}
