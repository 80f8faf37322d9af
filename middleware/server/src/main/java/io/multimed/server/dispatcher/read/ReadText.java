// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.engine.sql.SqlReader;
import io.multimed.server.dispatcher.cache.CachedText;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The text of a read, with estimates from its last executions: whether it is short enough for a lane, and whether its
 * executions may run together. Thread-safe. Concurrent executions may overwrite each other's measurement, which only
 * delays the estimate.
 */
final class ReadText extends CachedText {
    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** A message that takes longer blocks its lane. */
    private static final long BLOCKING_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Executions from which the shortest counts. */
    private static final int WINDOW = 8;

    private static final int FIRST_WINDOW = 3;

    /** Points for a message that blocked its lane. {@link #EXECUTIONS_PER_POINT} executions take one point away. */
    private static final int POINTS = 16;

    private static final int EXECUTIONS_PER_POINT = 32;

    /** A text with more points than this leaves the lanes. */
    private static final int TOO_MANY_POINTS = 48;

    /** Executions outside of lanes, or separate from others, after the first failure; also those that undo one. */
    private static final int RUNS_AFTER_FAILURE = 256;

    /** Limits how often {@link #RUNS_AFTER_FAILURE} is doubled. */
    private static final int MAX_DOUBLINGS = 6;

    /** Larger results do not run together with others, because all of them are in memory at the same time. */
    private static final int MAX_BYTES = 8 << 10;

    /** Results above this size count as so large in the average. */
    private static final int LARGE_BYTES = 1 << 20;

    private final int sqlBytes;
    private final SqlReader reader;
    private final int parameters;

    /** The texts for 2, 4, 8, ... executions; the index is the logarithm. */
    private final AtomicReferenceArray<@Nullable Optional<String>> repeated = new AtomicReferenceArray<>(8);

    /**
     * The shortest execution in the last complete window. Not an average: on a busy machine, most of the time is the
     * wait for a core, which lanes shorten.
     */
    private volatile long shortest = Long.MAX_VALUE;

    /** The shortest execution in the current window, which ends after {@link #left} more executions. */
    private volatile long shortestNow = Long.MAX_VALUE;

    private volatile int left = FIRST_WINDOW;
    private volatile int averageBytes;

    /** Executions that remain before the text may run on a lane. */
    private volatile int outside;

    private volatile int points;

    /** Executions since the last point was taken away. */
    private volatile int sincePoint;

    /** Executions that remain before the text may run together with others. */
    private volatile int separate;

    /** Number of recent failures; each one doubles {@link #separate} and {@link #outside}. */
    private volatile int failures;

    /** Executions on lanes since {@link #failures} was last decremented. */
    private volatile int runsSinceFailure;

    /** @param parameters number of placeholders */
    ReadText(String sql, int parameters, SqlReader reader) {
        super(sql);
        this.sqlBytes = sql.getBytes(StandardCharsets.UTF_8).length;
        this.parameters = parameters;
        this.reader = reader;
    }

    /** Returns the size of the text as the engine's driver sends it. */
    int sqlBytes() {
        return sqlBytes;
    }

    int parameters() {
        return parameters;
    }

    /** Returns whether the next execution may run on a lane, and counts it if not. */
    boolean decidesForLane() {
        int remaining = outside;
        if (remaining > 0) {
            outside = remaining - 1;
        }
        return remaining <= 0 && shortest <= SHORT_NANOS;
    }

    /** Records an execution outside of lanes. */
    void ran(long nanos, int bytes) {
        measure(nanos);
        averageBytes = (7 * averageBytes + Math.min(bytes, LARGE_BYTES)) / 8;
    }

    /**
     * Records a message on a lane.
     *
     * @param nanos time of the whole message
     * @param bytes size of all results
     */
    void ranOnLane(long nanos, int executions, int bytes) {
        ran(nanos / executions, bytes / executions);
        int runs = runsSinceFailure + executions;
        runsSinceFailure = runs % RUNS_AFTER_FAILURE;
        if (runs >= RUNS_AFTER_FAILURE) {
            failures = Math.max(0, failures - 1);
        }
        int since = sincePoint + executions;
        sincePoint = since % EXECUTIONS_PER_POINT;
        int now = Math.max(0, points - since / EXECUTIONS_PER_POINT);
        points = nanos > BLOCKING_NANOS ? now + POINTS : now;
        if (now + POINTS > TOO_MANY_POINTS && nanos > BLOCKING_NANOS) {
            points = 0;
            outside = RUNS_AFTER_FAILURE << countFailure();
        }
    }

    private void measure(long nanos) {
        long best = Math.min(shortestNow, nanos);
        int remaining = left - 1;
        if (remaining > 0) {
            shortestNow = best;
            left = remaining;
        } else {
            shortest = best;
            shortestNow = Long.MAX_VALUE;
            left = WINDOW;
        }
    }

    /** Records that a message with several executions failed: the next executions run separately. */
    void failedTogether() {
        separate = RUNS_AFTER_FAILURE << countFailure();
    }

    /** Returns the number of failures before this one. */
    private int countFailure() {
        int before = failures;
        failures = Math.min(MAX_DOUBLINGS, before + 1);
        runsSinceFailure = 0;
        return before;
    }

    /**
     * Decides whether the next execution may run together with others, and counts the execution if not. Called once for
     * each execution.
     */
    boolean decidesToRunTogether() {
        int left = separate;
        if (left > 0) {
            separate = left - 1;
        }
        return left <= 0 && averageBytes <= MAX_BYTES && repeated(2).isPresent();
    }

    /**
     * Returns a text that runs the read several times.
     *
     * @param times a power of two
     */
    Optional<String> repeated(int times) {
        int index = Integer.numberOfTrailingZeros(times);
        Optional<String> text = repeated.get(index);
        if (text == null) {
            text = reader.repeated(sql(), times);
            repeated.set(index, text);
        }
        return text;
    }
}
