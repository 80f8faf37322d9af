package io.multimed.model;

import java.time.Duration;

/**
 * Behavior of a read if no satellite is fresh enough immediately (architecture 4.1).
 *
 * @param longestWait maximum time for which it waits for one
 * @param withoutMaster whether satellites answer while an external master cannot be reached
 */
public record Freshness(Policy policy, Duration longestWait, WithoutMaster withoutMaster) {
    public static final Freshness DEFAULT =
            new Freshness(Policy.WAIT_THEN_MASTER, Duration.ofMillis(500), WithoutMaster.REFUSE);

    /** What comes of the waiting. */
    public enum Policy {
        /** Wait; fail if no satellite is fresh in time. Keeps reads off the master. */
        WAIT,
        /** Wait, then run on the master. */
        WAIT_THEN_MASTER,
        /** Run on the master at once. */
        MASTER
    }

    /**
     * Behavior of reads while an external master cannot be reached, when another middleware may have taken it over
     * without this middleware's knowledge.
     */
    public enum WithoutMaster {
        /** Reads fail: no read is ever stale. */
        REFUSE,
        /** Satellites answer: a read may be stale if there is another middleware. */
        READ
    }
}
