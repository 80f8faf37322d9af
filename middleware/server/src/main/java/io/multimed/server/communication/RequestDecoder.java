// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.server.communication.transport.ReceivedFrame;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decodes the requests of one session, each after the previous one has been answered, and holds memory for its values
 * until it has been answered itself. If there is no room, a request waits for a bounded time, without blocking a
 * thread.
 */
final class RequestDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(RequestDecoder.class);

    /** SQLState of requests for which there is no memory. */
    private static final String OUT_OF_MEMORY = "53200";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Session session;
    private final MemoryBudget budget;
    private final Executor threads;

    /** Protects {@link #starved}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The request that waits for memory; null if there is none. */
    @GuardedBy("lock")
    private @Nullable Starved starved;

    /** The memory of the request that is being handled; passed between threads under the session's lock. */
    private @Nullable RequestMemory memory;

    /** A request that waits for memory, since when, and the action that retries it. */
    private record Starved(ReceivedFrame frame, long since, Runnable again) {}

    /**
     * The session of the requests. For each request, exactly one of the methods is called, apart from {@link #isKnown}
     * and {@link #isOver}.
     */
    interface Session {
        boolean isKnown();

        boolean isOver();

        void handle(Frame request);

        /** Answers with an error and closes the connection. */
        void refuse(String sqlState, @Nullable String why);

        /** Answers with an error and continues. */
        void fail(String sqlState, String why);

        /** The session ended before the request was decoded. */
        void drop();
    }

    /** @param threads run the reader after it has waited for memory */
    RequestDecoder(Session session, MemoryBudget budget, Executor threads) {
        this.session = session;
        this.budget = budget;
        this.threads = threads;
    }

    /** Decodes a request and passes it to the session. */
    void read(ReceivedFrame frame) {
        read(frame, new RequestMemory(budget, 0));
    }

    private void read(ReceivedFrame frame, RequestMemory room) {
        memory = room;
        Frame request;
        try {
            request = frame.read(session.isKnown(), room);
        } catch (RequestMemory.NoRoomException e) {
            awaitRoom(frame, room);
            return;
        } catch (ProtocolException e) {
            frame.release();
            LOG.warn("protocol violation: {}", e.getMessage());
            session.refuse("08P01", e.getMessage());
            return;
        } catch (VirtualMachineError e) {
            frame.release();
            LOG.error("a request could not be read", e);
            session.refuse(OUT_OF_MEMORY, "a request does not fit in the middleware's memory");
            return;
        }
        frame.release();
        session.handle(request);
    }

    private void awaitRoom(ReceivedFrame frame, RequestMemory room) {
        room.release();
        if (room.used() > budget.most()) {
            frame.release();
            budget.countRefusal();
            session.fail(
                    OUT_OF_MEMORY,
                    "the values of a request do not fit in the middleware's memory: send fewer rows at once, or give the middleware more memory (-Xmx)");
            return;
        }
        long wanted = Math.min(
                budget.most(), 2 * room.used()); // the complete request may need more than the part decoded so far
        Starved next = new Starved(frame, System.nanoTime(), () -> readAgain(frame, wanted));
        setStarved(next);
        budget.whenFree(wanted, threads, next.again());
    }

    private void setStarved(@Nullable Starved next) {
        lock.lock();
        try {
            starved = next;
        } finally {
            lock.unlock();
        }
    }

    private void readAgain(ReceivedFrame frame, long reserved) {
        setStarved(null);
        RequestMemory room = new RequestMemory(budget, reserved);
        if (session.isOver()) {
            frame.release();
            room.release();
            session.drop();
        } else {
            read(frame, room);
        }
    }

    /** Called periodically: refuses a request that has waited for too long. */
    void checkLimits() {
        Starved late = takeLate();
        if (late != null) {
            late.frame.release();
            budget.countRefusal();
            session.fail(
                    OUT_OF_MEMORY,
                    "no memory is free for the values of a request, because other clients use it: run it again later, send fewer rows at once, or give the middleware more memory (-Xmx)");
        }
    }

    private @Nullable Starved takeLate() {
        lock.lock();
        try {
            Starved late = starved;
            if (late == null || System.nanoTime() - late.since < PATIENCE_NANOS || !budget.forget(late.again)) {
                return null;
            }
            starved = null;
            return late;
        } finally {
            lock.unlock();
        }
    }

    /** Called when the current request has been answered. */
    void answered() {
        RequestMemory held = memory;
        memory = null;
        if (held != null) {
            held.release();
        }
    }
}
