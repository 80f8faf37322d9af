package io.multimed.server.dispatcher.admission;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Average times of recent executions of reads on an engine, by text. Bounded by the sizes of the texts. Thread-safe.
 */
public final class StatementCosts {
    private static final long CHARACTERS = 16 << 20;
    private static final int OVERHEAD = 100;

    /** Weight of the last execution: one in so many. */
    private static final int WEIGHT = 4;

    private final Cache<String, AtomicLong> averages = Caffeine.newBuilder()
            .maximumWeight(CHARACTERS)
            .weigher((String sql, AtomicLong nanos) -> OVERHEAD + sql.length())
            .build();

    /** Returns the average in nanoseconds; 0 if the text has not run lately. */
    long of(String sql) {
        AtomicLong average = averages.getIfPresent(sql);
        return average == null ? 0 : average.get();
    }

    /**
     * Records an execution that has failed: if it was canceled, for example, the text takes longer than this. It
     * therefore never makes the average smaller.
     */
    public void failed(String sql, long nanos) {
        if (nanos > of(sql)) {
            ran(sql, nanos);
        }
    }

    /** Records an execution that has succeeded. */
    public void ran(String sql, long nanos) {
        averages.get(sql, text -> new AtomicLong(nanos)).updateAndGet(average -> average + (nanos - average) / WEIGHT);
    }
}
