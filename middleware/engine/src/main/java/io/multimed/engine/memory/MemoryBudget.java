// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the memory of requests and results over all clients, in bytes. The memory taken never exceeds the budget,
 * except by {@link #takeAnyway}. Requests wait for a bounded time, so that two holders that need more cannot block each
 * other for ever. Asynchronous requests are served in order. Thread-safe.
 */
public final class MemoryBudget {
    /** Share of the heap. The rest is for the engines' drivers, queued WriteSets, and memory that is not counted. */
    private static final int PERCENT = 50;

    /** Bytes for the clients within an application, whatever the size of its heap. */
    private static final long LEAST_OF_APPLICATIONS = 64L << 20;

    /** Written under {@link #lock}. */
    private volatile long most;

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition given = lock.newCondition();

    private final LongAdder refused = new LongAdder();

    @GuardedBy("lock")
    private long taken;

    /** Bytes held by threads that wait for more. */
    @GuardedBy("lock")
    private long stalled;

    /** At most one entry per client. */
    @GuardedBy("lock")
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

    /** An asynchronous request for memory. */
    private record Waiting(long bytes, Executor threads, Runnable action) {}

    /** @param most size of the budget in bytes */
    public MemoryBudget(long most) {
        this.most = most;
    }

    /** Returns {@link #PERCENT} of this process's heap, in bytes. */
    public static long standard() {
        return Runtime.getRuntime().maxMemory() / 100 * PERCENT;
    }

    /**
     * Returns the bytes for clients within an application, which owns the heap: an eighth of the heap, at least {@link
     * #LEAST_OF_APPLICATIONS}, and at most {@link #standard}.
     */
    public static long standardOfApplications() {
        return Math.min(standard(), Math.max(Runtime.getRuntime().maxMemory() / 8, LEAST_OF_APPLICATIONS));
    }

    public long most() {
        return most;
    }

    /**
     * Changes the size of the budget. What is taken remains so, even if it is more than the new size; requests that
     * wait are served if they fit now.
     */
    public void setMost(long bytes) {
        lock.lock();
        try {
            most = bytes;
            given.signalAll();
            serve();
        } finally {
            lock.unlock();
        }
    }

    public long taken() {
        lock.lock();
        try {
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the bytes if they are free and no asynchronous request waits; never blocks. */
    public boolean tryTake(long bytes) {
        lock.lock();
        try {
            return waiting.isEmpty() && fits(bytes);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes the bytes, and waits for them if necessary. Returns false immediately if all taken memory is held by
     * callers that wait, too: then none of them could continue.
     *
     * @param held bytes that the caller has already taken, and keeps while it waits
     * @param millis limit of the wait
     * @return false if the bytes were not free in time
     */
    public boolean take(long bytes, long held, long millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (fits(bytes)) {
                return true;
            }
            boolean mayWait = bytes + held <= most && stalled + held < taken;
            boolean success = mayWait && await(bytes, held, millis);
            if (!success) {
                countRefusal();
            }
            return success;
        } finally {
            lock.unlock();
        }
    }

    /** Counts a client that has received an error because no memory was free; {@link #take} counts by itself. */
    public void countRefusal() {
        refused.increment();
    }

    /** Returns the number of errors that clients have received because no memory was free. */
    public long refused() {
        return refused.sum();
    }

    @GuardedBy("lock")
    private boolean await(long bytes, long held, long millis) throws InterruptedException {
        stalled += held;
        try {
            return await(bytes, TimeUnit.MILLISECONDS.toNanos(millis));
        } finally {
            stalled -= held;
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

    /** Takes bytes that are already allocated, even beyond the budget: other requests wait until they are released. */
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
     * Takes the bytes as soon as they are free, and then runs an action.
     *
     * @param threads run the action
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
     * Cancels a request of {@link #whenFree}.
     *
     * @return false if its action has been submitted: the bytes are taken then
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
