package io.multimed.server.node;

/** Where a satellite stands. The master is ONLINE or OFFLINE only. */
public enum NodeState {
    /** Not reachable; it is tried again. */
    OFFLINE,
    /** Taken out by Multimed: it gave no answer, too much waited for it, or it was not the master's copy any more. It is tried again. */
    DROPPED,
    /** Gets a new copy of the master's data. */
    SEEDING,
    /** Applies WriteSets that it missed. */
    RECOVERING,
    /** Serves clients. */
    ONLINE,
    /** Takes no new transactions, by order of an administrator; some still run. Goes on applying. */
    DRAINING,
    /** Takes no transactions, and none runs. Goes on applying. */
    DRAINED;

    /** Whether nothing is heard of the node, or wanted from it, for now. */
    public boolean isAway() {
        return this == OFFLINE || this == DROPPED;
    }
}
