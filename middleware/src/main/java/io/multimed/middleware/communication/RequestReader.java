package io.multimed.middleware.communication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.middleware.node.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.ProtocolException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the requests of one session, each when the one before is answered, and keeps memory for its values until it is answered itself. Without room a request waits, without a thread and for a
 * bounded time.
 */
final class RequestReader {
    private static final Logger LOG = LoggerFactory.getLogger(RequestReader.class);

    /** The SQLState for what finds no memory. */
    static final String OUT_OF_MEMORY = "53200";

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Session session;
    private final MemoryBudget budget;
    private final Executor threads;

    /** Protects {@link #starved}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The request that waits for memory; null if none does. */
    @GuardedBy("lock")
    private @Nullable Starved starved;

    /** What the request that is being handled takes; handed on with the session's lock. */
    private @Nullable RequestMemory memory;

    /** A request that waits for memory, since when, and what is done when there is some. */
    private record Starved(Inbound frame, long since, Runnable again) {}

    /** Whose requests they are. One of the methods is called for each of them but {@link #isKnown} and {@link #isOver}. */
    interface Session {
        boolean isKnown();

        boolean isOver();

        void handle(Frame request);

        /** Answers with an error and hangs up. */
        void refuse(String sqlState, @Nullable String why);

        /** Answers with an error and goes on. */
        void fail(String sqlState, String why);

        /** The session was over before the request could be read. */
        void drop();
    }

    /** @param threads where reading goes on after it has waited */
    RequestReader(Session session, MemoryBudget budget, Executor threads) {
        this.session = session;
        this.budget = budget;
        this.threads = threads;
    }

    /** Reads a request and has it handled. */
    void read(Inbound frame) {
        read(frame, new RequestMemory(budget, 0));
    }

    private void read(Inbound frame, RequestMemory room) {
        memory = room;
        Frame request;
        try {
            request = frame.read(session.isKnown(), room);
        } catch (RequestMemory.NoRoomException e) {
            awaitRoom(frame, room);
            return;
        } catch (ProtocolException e) {
            frame.release();
            LOG.warn("not of the protocol: {}", e.getMessage());
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

    private void awaitRoom(Inbound frame, RequestMemory room) {
        room.release();
        if (room.used() > budget.most()) {
            frame.release();
            session.fail(
                    OUT_OF_MEMORY,
                    "the values of a request do not fit in the middleware's memory: send fewer rows at once, or give it more (-Xmx)");
            return;
        }
        long wanted = Math.min(budget.most(), 2 * room.used()); // it may need more than it had come to
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

    private void readAgain(Inbound frame, long reserved) {
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

    /** Called now and then: a request that has waited for too long is answered. */
    void look() {
        Starved late = takeLate();
        if (late != null) {
            late.frame.release();
            session.fail(
                    OUT_OF_MEMORY,
                    "no memory is free for the values of a request: other clients have it; run it again later, send fewer rows at once, or give the middleware more (-Xmx)");
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

    /** The request that was handled last is answered. */
    void answered() {
        RequestMemory held = memory;
        memory = null;
        if (held != null) {
            held.release();
        }
    }
}
