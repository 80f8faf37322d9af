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

    ResultCache.OfStatement now() {
        long mean = nanos.sum() / Math.max(1, kept.sum());
        return new ResultCache.OfStatement(
                sql,
                hits.sum(),
                misses.sum(),
                outdated.sum(),
                TimeUnit.NANOSECONDS.toMicros(mean),
                TimeUnit.NANOSECONDS.toMillis(mean * hits.sum()));
    }
}
