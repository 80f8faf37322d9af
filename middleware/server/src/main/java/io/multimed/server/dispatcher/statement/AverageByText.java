// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The average of recent measurements of statements, by the texts of the statements. Bounded by the sizes of the texts.
 * Thread-safe.
 */
public final class AverageByText {
    private static final int OVERHEAD = 100;

    /** The last measurement counts as one in so many. */
    private static final int WEIGHT = 4;

    private final Cache<String, AtomicLong> averages;

    /** @param characters maximum size of all texts */
    public AverageByText(long characters) {
        this.averages = Caffeine.newBuilder()
                .maximumWeight(characters)
                .weigher((String sql, AtomicLong average) -> OVERHEAD + sql.length())
                .build();
    }

    /** Returns the average for a text; {@code otherwise} if the text was not measured lately. */
    public long of(String sql, long otherwise) {
        AtomicLong average = averages.getIfPresent(sql);
        return average == null ? otherwise : average.get();
    }

    /**
     * Records a measurement.
     *
     * @param before the average if the text was not measured lately
     */
    public void add(String sql, long measured, long before) {
        averages.get(sql, text -> new AtomicLong(before))
                .updateAndGet(average -> average + (measured - average) / WEIGHT);
    }
}
