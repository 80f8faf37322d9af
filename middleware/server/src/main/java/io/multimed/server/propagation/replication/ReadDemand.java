// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import java.util.concurrent.TimeUnit;

/**
 * Records whether clients read on satellites. While no client reads, the appliers gather WriteSets, because a
 * transaction that applies many WriteSets costs little more than one that applies a single WriteSet (architecture 4.5).
 * Thread-safe.
 */
public final class ReadDemand {
    /** Time after a read in which the appliers apply WriteSets at once. */
    private static final long RECENT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Precision of {@link #last}, so that threads that read at the same time do not all write the field. */
    private static final long PRECISION_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final Runnable applyNow;

    /** Time of the last read, by {@link System#nanoTime}. */
    private volatile long last = System.nanoTime() - RECENT_NANOS;

    /** @param applyNow makes all appliers apply what they have gathered; must not block */
    public ReadDemand(Runnable applyNow) {
        this.applyNow = applyNow;
    }

    /** Notes a read, before it looks for a satellite that is fresh enough. */
    public void note() {
        long now = System.nanoTime();
        long age = now - last;
        if (age >= PRECISION_NANOS) {
            last = now; // first: an applier that begins to gather after this point sees it
            if (age >= RECENT_NANOS) {
                applyNow.run();
            }
        }
    }

    /** Returns whether a client has read recently. */
    boolean isRecent() {
        return System.nanoTime() - last < RECENT_NANOS;
    }
}
