// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.SQLException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The engine's session of a connection for commit groups: which client has used the session last, and whether its
 * initial state was restored afterwards. Exists as long as the physical connection. Thread-safe.
 */
public final class GroupSession {
    /** Identifies no client. */
    static final long NO_CLIENT = 0;

    /**
     * Protects the fields below, and is held during a reset, which is one message: a thread that receives the
     * connection meanwhile waits for the end of the reset.
     */
    private final ReentrantLock lock = new ReentrantLock();

    /**
     * Number of threads that use the connection. The next thread may have received the connection from the pool before
     * the previous one is counted out.
     */
    @GuardedBy("lock")
    private int users;

    @GuardedBy("lock")
    private long client = NO_CLIENT;

    @GuardedBy("lock")
    private boolean unreset;

    /** The end of the last use, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long end;

    /** Restores the initial state of the engine's session. */
    interface Reset {
        void run() throws SQLException;
    }

    /** Begins a use by a client; restores the session if another client has left it without a reset. */
    void beginUse(long next, Reset reset) throws SQLException {
        lock.lock();
        try {
            users++;
            if (unreset && client != next) {
                restore(reset);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends a use, after the connection was returned to its pool. */
    void endUse() {
        lock.lock();
        try {
            users--;
            end = System.nanoTime();
        } finally {
            lock.unlock();
        }
    }

    /** Restores the session. */
    void reset(Reset reset) throws SQLException {
        lock.lock();
        try {
            restore(reset);
        } finally {
            lock.unlock();
        }
    }

    /** Restores the session if it is {@link #isResetDue due}. */
    void resetIfDue(long idleNanos, Reset reset) throws SQLException {
        lock.lock();
        try {
            if (isResetDue(idleNanos)) {
                restore(reset);
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void restore(Reset reset) throws SQLException {
        reset.run();
        client = NO_CLIENT;
        unreset = false;
    }

    /**
     * Returns whether a client has left the session without a reset, and the session was idle for a time. Does not wait
     * for another thread that has the lock, which uses or restores the session.
     */
    boolean isResetDue(long idleNanos) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            return users == 0 && unreset && System.nanoTime() - end >= idleNanos;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether the last statement was of this client. The initial state then need not be restored; as long as
     * clients take turns, each statement restores it in its own message.
     */
    public boolean servedLast(long asked) {
        lock.lock();
        try {
            return client == asked;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client has left the session without a reset. */
    public boolean isUnreset() {
        lock.lock();
        try {
            return unreset;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Records the client of a statement.
     *
     * @param leavesUnreset whether the initial state is not restored: no other client uses the session before
     */
    public void serves(long next, boolean leavesUnreset) {
        lock.lock();
        try {
            client = next;
            unreset = leavesUnreset;
        } finally {
            lock.unlock();
        }
    }
}
