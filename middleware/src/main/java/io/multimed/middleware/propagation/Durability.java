package io.multimed.middleware.propagation;

import java.util.List;

/** What must be true of groups before they are published. */
interface Durability {
    /**
     * Returns when every member's outcome is known and every commit is on disk. Keeps trying while the master is away.
     */
    void secure(List<CommitGroup> groups) throws InterruptedException;

    /** Whether a member's connection broke, so that it may still commit until the group is secured. Any thread may ask. */
    boolean isOpenEnded(CommitGroup group);
}
