// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.util.List;

/**
 * Makes commit groups durable before they are published. Used by one thread at a time: the publisher's, or one that has
 * claimed a group ({@link GroupCommitOrder.Committed#claim}).
 */
interface Durability {
    /**
     * Returns when every member's outcome is known and every commit is on disk. Keeps trying while the master is away.
     */
    void makeDurable(List<CommitGroup> groups) throws InterruptedException;

    /** Called while there are no commits, from time to time. Blocks for seconds at most. */
    default void keepAlive() {}

    /** Returns whether the commits of the group have waited for the disk themselves. Must not block. */
    boolean isDurable(CommitGroup group);

    /** Returns whether transactions that bypass the middleware may have SCNs of the same order. */
    default boolean capturesBypassing() {
        return true;
    }

    /** Records that a group is durable already. Must not block. */
    void durableAlready(CommitGroup group);

    /**
     * Returns the WriteSets of transactions that bypassed the middleware, in commit order, when they are on disk.
     * Retries while the master is not reachable.
     *
     * @param after SCN after which the range begins
     * @param upTo last SCN of the range
     * @return at most {@link #MAX_BYPASSING} WriteSets; if there are so many, there may be more
     */
    List<WriteSet> readBypassing(Scn after, Scn upTo) throws InterruptedException;

    /** Limits the memory for transactions that committed while the middleware could not read them. */
    int MAX_BYPASSING = 500;
}
