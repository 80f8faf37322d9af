// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.sql.SQLException;

/**
 * A request that waits for its turn on a node, and is not in the node's queue for connections: a statement of a commit
 * group.
 */
public interface LimitedWait {
    /** Returns the begin of the wait, by {@link System#nanoTime}. */
    long since();

    /**
     * Ends the wait, unless the turn has come. The request then never runs, and the client receives the cause. Must not
     * block.
     *
     * @return whether the wait was ended
     */
    boolean giveUp(SQLException cause);
}
