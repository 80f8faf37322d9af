package io.multimed.server.propagation.commit;

import io.multimed.engine.writeset.Scn;

/** The total order of commits on the master (paper §3.2.2, architecture 4.2). */
public interface CommitOrder {
    /** Asks to commit. Returns at once or, for a member that runs anyThreadMember, after its COMMIT: then it must be called on a thread that may block. */
    void commit(CommitMember member);

    /** The number of the last group that began to commit: what a statement that ends now on the master may have seen. */
    long begun();

    /** Since the start. */
    CommitCounts counts();

    /** Waits until every group is published and lets none begin until {@link #resume}; returns the last SCN: what the master shows now, no more and no less. */
    Scn pause() throws InterruptedException;

    /** Lets commits go on after {@link #pause}. */
    void resume();
}
