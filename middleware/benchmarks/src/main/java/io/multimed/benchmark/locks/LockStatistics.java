// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.locks;

import java.util.Locale;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** For how long a lock was held, and for how long threads waited for it. Thread-safe. */
final class LockStatistics {
    static final String HEADER = String.format(
            Locale.ROOT,
            "%-52s %12s %10s %9s %9s %9s %9s %10s %10s%n",
            "lock, or method with a monitor",
            "entries",
            "contended",
            "busy",
            "hold p50",
            "hold p99",
            "hold mean",
            "wait p50",
            "wait mean");

    private static final long MAX_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 2;

    private final String name;
    private final long created;
    private final Histogram holds;
    private final Histogram waits;

    /** The end of the latest entry. */
    private volatile long last;

    LockStatistics(String name) {
        this.name = name;
        this.created = System.nanoTime();
        this.last = created;
        this.holds = new ConcurrentHistogram(MAX_NANOS, DIGITS);
        this.waits = new ConcurrentHistogram(MAX_NANOS, DIGITS);
    }

    private LockStatistics(LockStatistics other) {
        this.name = other.name;
        this.created = other.created;
        this.last = other.last;
        this.holds = other.holds.copy();
        this.waits = other.waits.copy();
    }

    /** Returns the present state, which remains as it is while the middleware still runs. */
    LockStatistics copy() {
        return new LockStatistics(this);
    }

    String name() {
        return name;
    }

    void held(long nanos) {
        holds.recordValue(Math.min(nanos, MAX_NANOS));
        last = System.nanoTime();
    }

    /** Notes an entry that had to wait. */
    void waited(long nanos) {
        waits.recordValue(Math.min(nanos, MAX_NANOS));
    }

    /** Returns the nanoseconds that all threads have waited. */
    double totalWait() {
        return total(waits);
    }

    private static double total(Histogram histogram) {
        return histogram.getTotalCount() == 0 ? 0 : histogram.getMean() * histogram.getTotalCount();
    }

    /** Returns a line of the table: times in microseconds; busy is the time held per time since the first entry. */
    String line() {
        long entries = holds.getTotalCount();
        return String.format(
                Locale.ROOT,
                "%-52s %12d %9.3f%% %8.2f%% %9.2f %9.2f %9.2f %10.1f %10.1f%n",
                name,
                entries,
                100.0 * waits.getTotalCount() / Math.max(1, entries),
                100.0 * total(holds) / Math.max(1, last - created),
                holds.getValueAtPercentile(50) / 1e3,
                holds.getValueAtPercentile(99) / 1e3,
                holds.getMean() / 1e3,
                waits.getValueAtPercentile(50) / 1e3,
                waits.getMean() / 1e3);
    }
}
