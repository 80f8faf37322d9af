package io.multimed.middleware.propagation;

import java.util.concurrent.TimeUnit;

/**
 * Whether satellites show all that any client has been told. As long as this middleware alone orders commits, they do. One that is cut off from the master may be replaced, and does not learn of it: so
 * it asks the master every second whether the master is still its own, and a yes counts for {@link #MILLIS} from the moment of asking. Whoever takes over answers nobody for longer than that.
 */
public final class MasterLease {
    private static final long MILLIS = 3_000;

    /** Clocks do not run equally fast. */
    private static final long SUCCESSOR_MILLIS = MILLIS + 500;

    private final boolean needed;

    /** By {@link System#nanoTime}. */
    private volatile long asked;

    /** @param asked when the master was known to be this middleware's, by {@link System#nanoTime} */
    MasterLease(boolean needed, long asked) {
        this.needed = needed;
        this.asked = asked;
    }

    /** The master has said yes. Called by one thread. */
    void renewed(long askedAt) {
        asked = askedAt;
    }

    /** Whether what satellites have shown up to now was fresh. */
    public boolean holds() {
        return !needed || System.nanoTime() - asked < TimeUnit.MILLISECONDS.toNanos(MILLIS);
    }

    /**
     * Returns when no earlier middleware's lease can hold any more.
     *
     * @param taken when the master had been taken over, by {@link System#nanoTime}
     */
    void awaitEarlierOnes(long taken) throws InterruptedException {
        long left = taken + TimeUnit.MILLISECONDS.toNanos(SUCCESSOR_MILLIS) - System.nanoTime();
        if (needed && left > 0) {
            TimeUnit.NANOSECONDS.sleep(left);
        }
    }
}
