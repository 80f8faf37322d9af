package io.multimed.middleware.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Memory for what clients send and are sent, admitted over all of them together, in bytes. Nobody is promised more than the whole; whoever waits does so for a bounded time, so that two who
 * hold something and want more cannot keep each other for ever. Those who wait are served in the order of asking. Thread-safe.
 */
public final class MemoryBudget {
    /** Of the heap. The rest is for the engines' drivers, WriteSets in queues, and what nobody counts. */
    private static final int PERCENT = 50;

    private final long most;

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition given = lock.newCondition();

    @GuardedBy("lock")
    private long taken;

    /** What threads that wait for more have taken already. */
    @GuardedBy("lock")
    private long stalled;

    /** At most one for each client. */
    @GuardedBy("lock")
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** Somebody without a thread who waits for so many bytes. */
    private record Waiting(long bytes, Executor threads, Runnable action) {}

    /** @param most bytes that are given at once */
    public MemoryBudget(long most) {
        this.most = most;
    }

    /** A part of this process's heap. */
    public static MemoryBudget ofHeap() {
        return new MemoryBudget(Runtime.getRuntime().maxMemory() / 100 * PERCENT);
    }

    /** All that there is. */
    public long most() {
        return most;
    }

    /** What is given to somebody now. */
    public long taken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Takes so many bytes if they are free and nobody waits; never waits. */
    public boolean tryTake(long bytes) {
        lock.lock();
        try {
            return waiting.isEmpty() && fits(bytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes so many bytes, and waits for them; not where all that is taken is held by others who wait, too: somebody must give up then, and it is who comes last.
     *
     * @param held what the caller has taken already, and keeps meanwhile
     * @return false if they were not free in time
     */
    public boolean take(long bytes, long held, long millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (fits(bytes)) {
                return true;
            }
            if (bytes + held > most || stalled + held >= taken) {
                return false;
            }
            stalled += held;
            try {
                return await(bytes, TimeUnit.MILLISECONDS.toNanos(millis));
            } finally {
                stalled -= held;
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean await(long bytes, long nanos) throws InterruptedException {
        long left = nanos;
        while (!fits(bytes)) {
            if (left <= 0) {
                return false;
            }
            left = given.awaitNanos(left);
        }
        return true;
    }

    /** Takes what is there already, whatever is free: others wait for it to be given back. */
    public void takeAnyway(long bytes) {
        lock.lock();
        try {
            taken += bytes;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean fits(long bytes) {
        if (bytes > most - taken) {
            return false;
        }
        taken += bytes;
        return true;
    }

    /**
     * Takes so many bytes as soon as they are free, and runs an action then.
     *
     * @param threads where the action is run
     */
    public void whenFree(long bytes, Executor threads, Runnable action) {
        lock.lock();
        try {
            waiting.add(new Waiting(bytes, threads, action));
            serve();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes back the wish for bytes.
     *
     * @return false if its action is run already, or about to be: then the bytes are taken
     */
    public boolean forget(Runnable action) {
        lock.lock();
        try {
            boolean waited = waiting.removeIf(each -> each.action.equals(action));
            serve();
            return waited;
        } finally {
            lock.unlock();
        }
    }

    /** Gives back what was taken. */
    public void give(long bytes) {
        lock.lock();
        try {
            taken -= bytes;
            given.signalAll();
            serve();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void serve() {
        while (!waiting.isEmpty() && fits(waiting.element().bytes)) {
            Waiting next = waiting.remove();
            next.threads.execute(next.action);
        }
    }
}
