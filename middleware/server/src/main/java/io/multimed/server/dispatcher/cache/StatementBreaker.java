// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/**
 * Lets a statement whose results are almost never used bypass the cache. Counts results that have left the cache: they
 * were replaced, because a change has outdated them; evicted; or never kept, because they were too large or already
 * outdated. If {@link #WINDOW} results have left the cache and were hardly ever used, the next executions bypass the
 * cache: they do not look for a result, do not wait for an equal read, and keep no result. Afterwards the cache tries
 * again. Each failed attempt doubles the pause, up to a limit.
 *
 * <p>A result that has not ended yet proves nothing, however seldom it is used: a cache that fills is no reason to
 * stop. Counts executions, not time. Thread-safe.
 */
final class StatementBreaker {
    /** Number of ended results after which the breaker decides. */
    static final int WINDOW = 256;

    /** Number of uses in a window that pays for keeping its results. */
    static final int MIN_USES = 4;

    /** Number of executions in the first pause. */
    static final int FIRST_PAUSE = 1_000;

    /** Number of times that the pause is doubled. */
    static final int MAX_DOUBLINGS = 6;

    /** Results that have ended since the last decision. */
    private final AtomicInteger ended = new AtomicInteger();

    /** Executions that remain before the cache tries again; 0 if the statement uses the cache. */
    private final AtomicInteger paused = new AtomicInteger();

    private final LongAdder bypassed = new LongAdder();

    /** Uses at the last decision. Written by the thread that decides, before {@link #ended} is set to 0. */
    private volatile long usesBefore;

    /** Vain attempts in a row. Written as {@link #usesBefore}. */
    private volatile int vain;

    /** Decides whether an execution uses the cache, and counts it if not. Called once for each execution. */
    boolean admits() {
        if (paused.get() == 0) {
            return true;
        }
        bypassed.increment();
        paused.updateAndGet(left -> Math.max(0, left - 1));
        return false;
    }

    /**
     * Records that a result has ended.
     *
     * @param uses number of all uses of the statement's results so far
     */
    void ended(long uses) {
        if (paused.get() == 0 && ended.incrementAndGet() == WINDOW) {
            decide(uses);
            ended.set(0);
        }
    }

    private void decide(long uses) {
        boolean pays = uses - usesBefore >= MIN_USES;
        usesBefore = uses;
        if (pays) {
            vain = 0;
        } else {
            paused.set(FIRST_PAUSE << vain);
            vain = Math.min(MAX_DOUBLINGS, vain + 1);
        }
    }

    /** Returns the number of executions that still bypass the cache; 0 if the statement uses the cache. */
    int paused() {
        return paused.get();
    }

    /** Returns the number of executions that have bypassed the cache. */
    long bypassed() {
        return bypassed.sum();
    }
}
