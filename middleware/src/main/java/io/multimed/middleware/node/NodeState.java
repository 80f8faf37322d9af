package io.multimed.middleware.node;

/** Where a satellite stands. The master is ONLINE or OFFLINE only. */
public enum NodeState {
    /** Not reachable; it is tried again. */
    OFFLINE,
    /** Gets a new copy of the master's data. */
    SEEDING,
    /** Applies WriteSets that it missed. */
    RECOVERING,
    /** Serves clients. */
    ONLINE,
    /** Takes no new transactions, by order of an administrator; some still run. Goes on applying. */
    DRAINING,
    /** Takes no transactions, and none runs. Goes on applying. */
    DRAINED,
}
