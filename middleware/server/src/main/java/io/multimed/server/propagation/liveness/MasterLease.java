// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.liveness;

import java.util.concurrent.TimeUnit;

/**
 * Determines whether satellites are known to reflect all acknowledged commits. They do as long as this middleware alone
 * orders commits. A middleware that is cut off from the master may be replaced without its knowledge. It therefore asks
 * the master every second whether the master still belongs to it; a confirmation is valid for {@link #MILLIS} from the
 * time of the request. A successor waits longer than this before it answers any client.
 */
public final class MasterLease {
    private static final long MILLIS = 3_000;

    /** Longer than the lease, because clocks do not run equally fast. */
    private static final long SUCCESSOR_MILLIS = MILLIS + 500;

    private final boolean needed;

    /** Time of the last confirmed request, by {@link System#nanoTime}. */
    private volatile long asked;

    /** @param asked time at which the master was known to belong to this middleware, by {@link System#nanoTime} */
    public MasterLease(boolean needed, long asked) {
        this.needed = needed;
        this.asked = asked;
    }

    /** Records a confirmation by the master. Called by one thread. */
    public void renewed(long askedAt) {
        asked = askedAt;
    }

    /** Returns whether data read from satellites up to now was fresh. */
    public boolean holds() {
        return !needed || System.nanoTime() - asked < TimeUnit.MILLISECONDS.toNanos(MILLIS);
    }

    /**
     * Returns when the lease of any earlier middleware has expired.
     *
     * @param taken time at which the master was taken over, by {@link System#nanoTime}
     */
    public void awaitEarlierLeases(long taken) throws InterruptedException {
        long left = taken + TimeUnit.MILLISECONDS.toNanos(SUCCESSOR_MILLIS) - System.nanoTime();
        if (needed && left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }
}
