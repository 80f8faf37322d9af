package io.multimed.middleware.propagation;

import io.multimed.middleware.writeset.Scn;

/** The total order of commits on the master (paper §3.2.2, design 4.2). */
public interface CommitOrder {
    /** Asks to commit. Returns at once or after the member's own COMMIT; must be called on a thread that may block. */
    void commit(CommitMember member);

    /** The last SCN that was given out: what a statement that ends now on the master may have seen. */
    Scn given();

    /** Waits until no group is committing and lets none begin until {@link #resume}; returns the last SCN given, which all are committed up to. */
    Scn pause() throws InterruptedException;

    /** Lets commits go on after {@link #pause}. */
    void resume();
}
