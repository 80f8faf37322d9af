// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.task;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The thread of an application that waits within this process for the answer to a request of one session. Meanwhile the
 * thread runs the tasks of the session on leased connections itself: each hand-over to a thread of a node would cost
 * two wake-ups, which cost more than a short statement. A session has at most one request at a time, and its tasks are
 * as many as those of one request.
 *
 * <p>States: <i>away</i> (no request) - {@link #call} - <i>here</i> (tasks are accepted) - the answer has arrived and
 * no task is left - away. A task that is offered while the thread is away runs on the threads of its node.
 */
public final class CallingThread {
    private static final Logger LOG = LoggerFactory.getLogger(CallingThread.class);
    private static final ThreadLocal<@Nullable CallingThread> CURRENT = new ThreadLocal<>();

    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    /** Null while the thread is away. */
    @GuardedBy("lock")
    private @Nullable Thread thread;

    @GuardedBy("lock")
    private boolean answered;

    /** The number of the last request. */
    @GuardedBy("lock")
    private long requests;

    /**
     * Returns the object of the request that the current thread waits for; null if there is none. What a session does
     * is bound to the thread that the session knows, not to the current one, which may work for others.
     */
    public static @Nullable CallingThread current() {
        return CURRENT.get();
    }

    /**
     * Returns whether the current thread, which must be that of this object, would only wait now: its request is not
     * answered, and no task of its session is due.
     */
    public boolean isIdle() {
        lock.lock();
        try {
            return !answered && tasks.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Lets the thread run a task. Returns false if the thread is away: the task must then run elsewhere. */
    public boolean offer(Runnable task) {
        return offer(task, 0);
    }

    /**
     * As above, for a task that concerns one request only: the thread may have begun the next one, which takes long.
     *
     * @param request the number that {@link #request} has returned; 0 for any
     */
    public boolean offer(Runnable task, long request) {
        Thread to;
        lock.lock();
        try {
            to = thread;
            if (to == null || (request != 0 && request != requests)) {
                return false;
            }
            tasks.add(task);
        } finally {
            lock.unlock();
        }
        wake(to);
        return true;
    }

    /** Returns the number of the present request, or of the last one; never 0 while a request runs. */
    public long request() {
        lock.lock();
        try {
            return requests;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the wait of the thread, after the tasks that were offered. Called once for each request. */
    public void answered() {
        Thread to;
        lock.lock();
        try {
            answered = true;
            to = thread;
        } finally {
            lock.unlock();
        }
        wake(to);
    }

    private static void wake(@Nullable Thread to) {
        if (to != null && to != Thread.currentThread()) {
            LockSupport.unpark(to);
        }
    }

    /**
     * Runs a request on the current thread, and then the tasks of the session, until {@link #answered} was called. An
     * interrupt of the thread does not end the wait, as it does not end that for the response on a socket; the thread
     * is interrupted afterwards.
     */
    public void call(Runnable request) {
        boolean interrupted = Thread.interrupted();
        CallingThread outer = CURRENT.get();
        begin();
        CURRENT.set(this);
        try {
            run(request);
            for (boolean goesOn = true; goesOn; ) {
                interrupted |= Thread.interrupted();
                Runnable next = nextOrLeave();
                if (next != null) {
                    run(next);
                } else if (isHere()) {
                    LockSupport.park(this);
                } else {
                    goesOn = false;
                }
            }
        } finally {
            CURRENT.set(outer);
            leave();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Accepts no further task. If the caller was stopped during a task, a new thread runs the remaining tasks. */
    private void leave() {
        List<Runnable> remaining;
        lock.lock();
        try {
            thread = null;
            remaining = List.copyOf(tasks);
            tasks.clear();
        } finally {
            lock.unlock();
        }
        if (!remaining.isEmpty()) {
            Thread replacement = new Thread(() -> remaining.forEach(CallingThread::run), "multimed-remaining-tasks");
            replacement.setDaemon(true);
            replacement.start();
        }
    }

    /** A task that fails because of a defect must not keep the thread from the others, which release connections. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.error("a task of a session failed", e);
        }
    }

    private void begin() {
        lock.lock();
        try {
            thread = Thread.currentThread();
            answered = false;
            requests++;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next task. If there is none, and the request is answered, the thread is away from then on. */
    private @Nullable Runnable nextOrLeave() {
        lock.lock();
        try {
            Runnable next = tasks.poll();
            if (next == null && answered) {
                thread = null;
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a thread waits for the answer to a request, and runs tasks meanwhile. */
    public boolean isHere() {
        lock.lock();
        try {
            return thread != null;
        } finally {
            lock.unlock();
        }
    }
}
