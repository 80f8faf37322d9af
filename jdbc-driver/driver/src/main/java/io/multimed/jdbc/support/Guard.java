// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

import java.sql.SQLException;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A reentrant lock that a thread holds while it uses the state of an object. A connection has one guard, which is held
 * for all messages of one request; each statement has another one, which its result sets share. A thread that holds the
 * guard of a connection never waits for the guard of a statement.
 *
 * <p>An action that must not wait, such as closing, is deferred while another thread holds the guard. The number of
 * deferred actions is bounded by the number of objects that the application closes, each of them once.
 */
public final class Guard {
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Action> deferred = new ConcurrentLinkedQueue<>();

    /** An action without a result. */
    @FunctionalInterface
    public interface Action {
        void run() throws SQLException;
    }

    /** An action with a result. */
    @FunctionalInterface
    public interface Query<T extends @Nullable Object> {
        T run() throws SQLException;
    }

    /** Runs an action while no other thread holds the guard, and returns the result. */
    public <T extends @Nullable Object> T get(Query<T> query) throws SQLException {
        acquire();
        try {
            return query.run();
        } finally {
            release();
        }
    }

    /** Runs an action while no other thread holds the guard. */
    public void run(Action action) throws SQLException {
        acquire();
        try {
            action.run();
        } finally {
            release();
        }
    }

    /**
     * Runs an action at once, unless another thread holds the guard: then that thread runs the action when it releases
     * the guard, and the exception of the action is lost.
     */
    public void runOrDefer(Action action) throws SQLException {
        if (lock.tryLock()) {
            try {
                action.run();
            } finally {
                release();
            }
        } else {
            deferred.add(action);
            runDeferredIfFree();
        }
    }

    /** Waits for the guard, and runs deferred actions before the caller uses the object. */
    public void acquire() {
        lock.lock();
        if (lock.getHoldCount() == 1) {
            runDeferred();
        }
    }

    /** Takes the guard if no other thread holds it. Returns whether it was taken. */
    public boolean tryAcquire() {
        return lock.tryLock();
    }

    /** Waits for the guard for at most a time. Returns false if another thread held the guard for all this time. */
    public boolean tryAcquire(long millis) throws InterruptedException {
        return lock.tryLock(millis, TimeUnit.MILLISECONDS);
    }

    public void release() {
        lock.unlock();
        runDeferredIfFree();
    }

    /** Returns whether the calling thread holds the guard. */
    public boolean isHeld() {
        return lock.isHeldByCurrentThread();
    }

    /** Runs the actions that were deferred, unless a thread holds the guard, which then runs them. */
    private void runDeferredIfFree() {
        while (!deferred.isEmpty() && !isHeld() && lock.tryLock()) {
            try {
                runDeferred();
            } finally {
                lock.unlock();
            }
        }
    }

    private void runDeferred() {
        for (Action action = deferred.poll(); action != null; action = deferred.poll()) {
            runQuietly(action);
        }
    }

    private static void runQuietly(Action action) {
        try {
            action.run();
        } catch (SQLException e) {
            // The thread that has deferred the action does not wait for its result.
            return;
        }
    }
}
