// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;

/** The total order of commits on the master (paper §3.2.2, architecture 4.2). */
public interface CommitOrder {
    /**
     * Requests a commit. Returns immediately, except for a member that runs on any thread: then the call may return
     * after the member's COMMIT, so the calling thread must be allowed to block.
     */
    void commit(CommitMember member);

    /**
     * Returns the number of the last group that began to commit. A statement that ends now on the master may have seen
     * all groups up to this one.
     */
    long begun();

    /** Returns the counters since the start. */
    CommitCounts counts();

    /**
     * Waits until every group is published, and prevents further groups until {@link #resume}.
     *
     * @return the last SCN: the master shows exactly the commits up to this one
     */
    Scn pause() throws InterruptedException;

    /** Permits commits again after {@link #pause}. Must be called once for each successful call of {@link #pause}. */
    void resume();
}
