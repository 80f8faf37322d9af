// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.writeset.Scn;
import java.time.Duration;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.LongSupplier;

/**
 * The SCNs that were published at recent times, as far as reads have asked for them. Bounded by the longest age.
 * Thread-safe.
 */
public final class PublishedTimes {
    private static final long SPACING_NANOS = Duration.ofMillis(50).toNanos();
    private static final int MAX_ENTRIES = 4_096;

    private final LongSupplier clock;
    private final long start;

    /** By the nanoseconds since the start. */
    private final NavigableMap<Long, Scn> samples = new ConcurrentSkipListMap<>();

    public PublishedTimes() {
        this(System::nanoTime);
    }

    /** @param clock as {@link System#nanoTime} */
    PublishedTimes(LongSupplier clock) {
        this.clock = clock;
        this.start = clock.getAsLong();
    }

    /** Returns the present time in nanoseconds since the start. */
    public long now() {
        return clock.getAsLong() - start;
    }

    /**
     * Returns an SCN such that all later states were current at some time within an age, and notes the present one. The
     * present one is returned if nothing is known of that time.
     *
     * @param now the present time, as {@link #now}
     * @param published the published SCN, which the caller has read after the time: it may be outdated since, and was
     *     not at that time
     */
    public Scn since(Duration age, long now, Scn published) {
        Map.Entry<Long, Scn> first = samples.ceilingEntry(now - age.toNanos());
        note(now, published);
        return first == null || first.getValue().isAfter(published) ? published : first.getValue();
    }

    private void note(long now, Scn published) {
        Map.Entry<Long, Scn> last = samples.lastEntry();
        if (last == null || now - last.getKey() >= SPACING_NANOS) {
            samples.put(now, published);
            while (samples.size() > MAX_ENTRIES) {
                samples.pollFirstEntry();
            }
        }
    }
}
