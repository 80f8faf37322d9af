// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** Method by which the middleware orders commits (architecture 4.2). */
public enum CommitOrdering {
    /** Commits in groups that share one flush of the master's log. */
    GROUP,
    /** Commits one transaction at a time, as in the paper's Algorithm 1. Slower; exists for comparison. */
    SERIAL,
    /**
     * Commits in groups whose COMMITs run at the same time although the satellites are standbys. Snapshots of
     * the master and of standbys may show two commits in different orders (consistency, Limits).
     */
    CONCURRENT,
}
