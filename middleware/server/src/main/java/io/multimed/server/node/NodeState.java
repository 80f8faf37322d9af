// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

/** The state of a node. The master is either ONLINE or OFFLINE. */
public enum NodeState {
    /** Not reachable; the connection is retried. */
    OFFLINE,
    /**
     * Excluded by Multimed, because the node did not respond, its queue exceeded the limit, or its data no longer
     * matched the master's. The connection is retried.
     */
    DROPPED,
    /** Receives a new copy of the master's data. */
    SEEDING,
    /** Applies WriteSets that it missed. */
    RECOVERING,
    /** Serves clients. */
    ONLINE,
    /**
     * Accepts no new transactions, on an administrator's request, while some still run. Continues to apply WriteSets.
     */
    DRAINING,
    /** Accepts no transactions, and none runs. Continues to apply WriteSets. */
    DRAINED;

    /**
     * Returns whether the node is not reachable or excluded, so that the master keeps no WriteSets especially for it.
     */
    public boolean isAway() {
        return this == OFFLINE || this == DROPPED;
    }
}
