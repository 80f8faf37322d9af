// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.dispatcher.statement.StatementRunner.Encoded;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A read that an engine runs, and the equal reads of other clients that wait for its result. At most one read per
 * client waits. Thread-safe.
 */
final class RunningRead {
    /** Protects the fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<CacheableRead.Waiter> waiting = new LinkedHashSet<>();

    @GuardedBy("lock")
    private boolean ended;

    @GuardedBy("lock")
    private @Nullable Encoded result;

    @GuardedBy("lock")
    private Scn asOf = Scn.ZERO;

    /** Adds a read that waits. Returns false if this read has ended. */
    boolean add(CacheableRead.Waiter waiter) {
        lock.lock();
        try {
            return !ended && waiting.add(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Removes a read. Returns false if it does not wait any more. */
    boolean remove(CacheableRead.Waiter waiter) {
        lock.lock();
        try {
            return waiting.remove(waiter);
        } finally {
            lock.unlock();
        }
    }

    void setResult(Encoded found, Scn includes) {
        lock.lock();
        try {
            result = found;
            asOf = includes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the result if it includes all changes up to an SCN; null otherwise. */
    @Nullable
    Encoded resultAsOf(Scn needed) {
        lock.lock();
        try {
            return needed.isAfter(asOf) ? null : result;
        } finally {
            lock.unlock();
        }
    }

    /** Ends this read, and returns the reads that wait. */
    List<CacheableRead.Waiter> end() {
        lock.lock();
        try {
            ended = true;
            List<CacheableRead.Waiter> all = List.copyOf(waiting);
            waiting.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }
}
