// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the cache does for the executions of one statement. Thread-safe. */
final class StatementStatistics {
    private final String sql;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder outdated = new LongAdder();
    private final LongAdder kept = new LongAdder();

    /** Results that equal reads have received which waited. */
    private final LongAdder shared = new LongAdder();

    private final StatementBreaker breaker = new StatementBreaker();

    /** Time from the request to the result, of all executions whose result was kept. */
    private final LongAdder nanos = new LongAdder();

    StatementStatistics(String sql) {
        this.sql = sql;
    }

    void hit() {
        hits.increment();
    }

    void missed() {
        misses.increment();
    }

    void outdated() {
        outdated.increment();
    }

    /** @param duration from the request to the result */
    void kept(long duration) {
        kept.increment();
        nanos.add(duration);
    }

    /** Records that an equal read that has waited received the result. */
    void shared() {
        shared.increment();
    }

    /** Records that a result is not kept any more, or could not be kept. */
    void ended() {
        breaker.ended(hits.sum() + shared.sum());
    }

    /** Decides whether an execution uses the cache. Called once for each execution. */
    boolean admits() {
        return breaker.admits();
    }

    ResultCache.StatementSummary now() {
        long mean = nanos.sum() / Math.max(1, kept.sum());
        return new ResultCache.StatementSummary(
                sql,
                hits.sum(),
                misses.sum(),
                outdated.sum(),
                TimeUnit.NANOSECONDS.toMicros(mean),
                TimeUnit.NANOSECONDS.toMillis(mean * hits.sum()),
                breaker.bypassed(),
                breaker.paused());
    }
}
