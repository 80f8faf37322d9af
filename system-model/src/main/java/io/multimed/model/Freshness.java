package io.multimed.model;

import java.time.Duration;

/**
 * What a read does when no satellite is fresh enough at once (design 4.1).
 *
 * @param longestWait how long it waits for one
 */
public record Freshness(Policy policy, Duration longestWait) {
    public static final Freshness DEFAULT = new Freshness(Policy.WAIT_THEN_MASTER, Duration.ofMillis(500));

    /** What comes of the waiting. */
    public enum Policy {
        /** Wait; fail if no satellite is fresh in time. Keeps reads off the master. */
        WAIT,
        /** Wait, then run on the master. */
        WAIT_THEN_MASTER,
        /** Run on the master at once. */
        MASTER
    }
}
