// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

/** Delays a reply until every commit that it may have observed on the master is published (architecture 4.2). */
@FunctionalInterface
public interface VisibilityBarrier {
    /**
     * Runs one of two actions when all commits that are now visible on the master are published: immediately on this
     * thread, or later on another thread. The actions must not block.
     *
     * @param action runs if the commits are published
     * @param lost runs instead if a crash of the master has undone some of them
     */
    void whenPublished(Runnable action, Runnable lost);
}
