// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts the connections of a node, and queues requests while no connection is free. A connection that is returned goes
 * to the request that has waited longest. The queue holds at most one request per client. Thread-safe.
 *
 * @param <R> type of a request
 */
final class LeaseQueue<R> {
    private final int connections;

    /** Protects the fields below; held for a few instructions, never during a call of JDBC. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when all connections are free. */
    private final Condition idle = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Waiting<R>> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private int free;

    /**
     * True as long as new requests are accepted. Written under {@link #lock}, so that a thread that has closed the
     * node and then finds the node idle can rely on this; read without the lock.
     */
    private volatile boolean admits = true;

    /** Whether requests wait although connections are free. */
    @GuardedBy("lock")
    private boolean holds;

    /** @param since by {@link System#nanoTime} */
    private record Waiting<R>(R request, long since) {}

    /** Answer to a request. */
    enum Answer {
        /** A connection was free, and is now counted as in use. */
        TAKEN,
        /** The request is in the queue; {@link #nextOrFree} returns it later. */
        WAITS,
        /** The node accepts no new requests. */
        REFUSED
    }

    /** @param connections maximum number of connections in use */
    LeaseQueue(int connections) {
        this.connections = connections;
        this.free = connections;
    }

    Answer ask(R request) {
        lock.lock();
        try {
            if (!admits) {
                return Answer.REFUSED;
            }
            if (free == 0 || holds) {
                waiting.add(new Waiting<>(request, System.nanoTime()));
                return Answer.WAITS;
            }
            free--;
            return Answer.TAKEN;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the request that receives a connection which is no longer in use. If no request waits, or all have to
     * wait, counts the connection as free and returns null.
     */
    @Nullable
    R nextOrFree() {
        lock.lock();
        try {
            Waiting<R> next = holds ? null : waiting.poll();
            if (next == null) {
                free++;
                if (free == connections) {
                    idle.signalAll();
                }
            }
            return next == null ? null : next.request;
        } finally {
            lock.unlock();
        }
    }

    /** Removes a request. Returns whether it was waiting. */
    boolean withdraw(R request) {
        lock.lock();
        try {
            return waiting.removeIf(each -> each.request == request);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes the requests that have waited for longer than a time, and returns them.
     *
     * @param nanos the time
     * @param stays requests that are not removed
     */
    List<R> takeLate(long nanos, Predicate<R> stays) {
        long now = System.nanoTime();
        List<R> late = new ArrayList<>();
        lock.lock();
        try {
            Iterator<Waiting<R>> oldest = waiting.iterator();
            boolean isLate = true;
            while (isLate && oldest.hasNext()) {
                Waiting<R> next = oldest.next();
                isLate = now - next.since > nanos;
                if (isLate && !stays.test(next.request)) {
                    oldest.remove();
                    late.add(next.request);
                }
            }
            return late;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether new requests are accepted. */
    boolean admits() {
        return admits;
    }

    /** Accepts or refuses new requests. Requests in the queue are not affected. */
    void admit(boolean open) {
        lock.lock();
        try {
            admits = open;
        } finally {
            lock.unlock();
        }
    }

    /** Makes all requests wait, until {@link #release}. */
    void hold() {
        lock.lock();
        try {
            holds = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Ends {@link #hold}. Returns the waiting requests that receive free connections, which are counted as in use.
     */
    List<R> release() {
        List<R> next = new ArrayList<>();
        lock.lock();
        try {
            holds = false;
            while (free > 0 && !waiting.isEmpty()) {
                next.add(waiting.remove().request);
                free--;
            }
        } finally {
            lock.unlock();
        }
        return next;
    }

    /** Waits until all connections are free. Returns false if the time, in nanoseconds, was not sufficient. */
    boolean awaitIdle(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = nanos;
            while (free < connections && left > 0) {
                left = idle.awaitNanos(left);
            }
            return free == connections;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of connections in use and of waiting requests, as a share of the connections. */
    double load() {
        lock.lock();
        try {
            return (double) (connections - free + waiting.size()) / connections;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of connections in use. */
    int active() {
        lock.lock();
        try {
            return connections - free;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of waiting requests. */
    int waiting() {
        lock.lock();
        try {
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }
}
