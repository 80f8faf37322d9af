// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.Scn;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Estimates the SCN that was published a certain time ago, within a few percent. SCNs published before the start count
 * from the start. Used by one thread.
 */
final class PublishedScnHistory {
    private static final int STEPS = 50;

    private final long ageNanos;
    private final ArrayDeque<Sample> samples = new ArrayDeque<>();

    /** @param nanos of {@link System#nanoTime} */
    private record Sample(long nanos, Scn published) {}

    PublishedScnHistory(Duration age) {
        this.ageNanos = age.toNanos();
    }

    /**
     * Records the current SCN. Must be called often in comparison with the age.
     *
     * @return the last SCN that has reached the age; zero if none is known
     */
    Scn record(Scn published, long now) {
        if (samples.isEmpty() || now - samples.getLast().nanos >= ageNanos / STEPS) {
            samples.add(new Sample(now, published));
        }
        Scn old = Scn.ZERO;
        while (!samples.isEmpty() && now - samples.getFirst().nanos >= ageNanos) {
            old = samples.remove().published;
        }
        if (old.isAfter(Scn.ZERO)) {
            samples.addFirst(new Sample(now - ageNanos, old));
        }
        return old;
    }
}
