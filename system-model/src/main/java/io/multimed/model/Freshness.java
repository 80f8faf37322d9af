// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import java.time.Duration;

/**
 * Treatment of a read for which no satellite is fresh enough immediately (architecture 4.1).
 *
 * @param longestWait maximum time for which the read waits for a satellite
 * @param withoutMaster whether satellites answer while an external master is unreachable
 */
public record Freshness(Policy policy, Duration longestWait, WithoutMaster withoutMaster) {
    /** Waits for half a second, then reads on the master. Never returns stale data. */
    public static final Freshness DEFAULT =
            new Freshness(Policy.WAIT_THEN_MASTER, Duration.ofMillis(500), WithoutMaster.REFUSE);

    /** Reaction to satellites that are not fresh enough. */
    public enum Policy {
        /** Waits, and fails if no satellite is fresh in time. Keeps reads off the master. */
        WAIT,
        /** Waits, then runs the read on the master. */
        WAIT_THEN_MASTER,
        /** Runs the read on the master immediately. */
        MASTER
    }

    /**
     * Treatment of reads while an external master is unreachable. Another middleware may have taken over the master
     * without this middleware's knowledge.
     */
    public enum WithoutMaster {
        /** Reads fail. No read is ever stale. */
        REFUSE,
        /** Satellites answer. A read may be stale if another middleware commits to the master. */
        READ
    }
}
