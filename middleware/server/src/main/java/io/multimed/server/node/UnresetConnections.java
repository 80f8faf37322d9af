// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.Connection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Connections whose initial state was not restored after a transaction, because the transaction has only read and
 * changed rows: to restore the state would cost as much as a statement. The connection waits for the next transaction
 * of the same session. No other session receives the connection before its state is restored, so that nothing passes
 * from one client to another one even if the transaction has done more than is known. Thread-safe.
 *
 * <p>Belongs to a node. Holds at most as many connections as the node's pool has, less those in use: a request that
 * needs a connection takes the oldest one otherwise.
 */
final class UnresetConnections {
    /** Maximum time without a reset, also for a connection that is always in use when the idle ones are returned. */
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Time without a use after which a connection is not trusted: that of the pools ({@code aliveBypassWindowMs}). */
    private static final long TRUSTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final int most;

    /** Protects the fields below; held for a few instructions, never during a call of JDBC. */
    private final ReentrantLock lock = new ReentrantLock();

    /** The connections by their sessions, the oldest first. */
    @GuardedBy("lock")
    private final Map<Long, Left> left = new LinkedHashMap<>();

    /** Number of requests that have a connection, or receive one. */
    @GuardedBy("lock")
    private int inUse;

    /**
     * A connection that a session has left.
     *
     * @param generation of the node's connections when the connection was taken from its pool
     * @param since the end of the first transaction after which the state was not restored, by {@link System#nanoTime}
     * @param at the end of the last use
     */
    record Left(long session, Connection connection, int generation, long since, long at) {
        /** Returns whether the connection may have been closed meanwhile: a pool would examine it before its use. */
        boolean isDoubtful() {
            return System.nanoTime() - at > TRUSTED_NANOS;
        }
    }

    /** @param most number of connections of the node's pool */
    UnresetConnections(int most) {
        this.most = most;
    }

    /**
     * Counts a request that receives a connection, and returns one that was left: that of the session, or the oldest
     * one if the pool has no other connection. Returns null if the pool has one.
     *
     * @param session 0 for none
     */
    @Nullable
    Left take(long session) {
        lock.lock();
        try {
            Left own = left.remove(session);
            Left taken = own == null && inUse + left.size() >= most ? removeOldest() : own;
            inUse++;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable Left removeOldest() {
        Iterator<Left> oldest = left.values().iterator();
        if (!oldest.hasNext()) {
            return null;
        }
        Left found = oldest.next();
        oldest.remove();
        return found;
    }

    /** Ends the use of a connection that returns to its pool, or that a request has not received. */
    void returned() {
        lock.lock();
        try {
            inUse--;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps a connection for its session.
     *
     * @return false if the connection must return to its pool, because the state was not restored for long, or the
     *     session has left another connection; the connection is still in use then
     */
    boolean leave(Left connection) {
        lock.lock();
        try {
            if (System.nanoTime() - connection.since > MAX_NANOS
                    || left.putIfAbsent(connection.session, connection) != null) {
                return false;
            }
            inUse--;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of connections whose state was not restored for some time. */
    int countOlder(long nanos) {
        long now = System.nanoTime();
        lock.lock();
        try {
            return (int) left.values().stream()
                    .filter(each -> now - each.since >= nanos)
                    .count();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a connection whose state was not restored for some time, and counts it as in use; null if there is none.
     */
    @Nullable
    Left takeOlder(long nanos) {
        long now = System.nanoTime();
        lock.lock();
        try {
            for (Left each : left.values()) {
                if (now - each.since >= nanos) {
                    left.remove(each.session);
                    inUse++;
                    return each;
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }
}
