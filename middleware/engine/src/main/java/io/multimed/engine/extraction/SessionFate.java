// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.extraction;

/**
 * Determines whether an engine's session returns to the pool when a transaction ends in it. Its owner states whether
 * the client keeps the session; the engine reports whether state of the client remains in it. Used by one thread at a
 * time.
 */
public final class SessionFate {
    private final boolean kept;
    private final boolean reviewed;
    private final boolean unchanged;
    private final boolean takesValues;
    private boolean held;

    /** @param kept whether the client keeps the session with all its state; otherwise its initial state is restored */
    public SessionFate(boolean kept) {
        this(kept, kept);
    }

    /**
     * @param kept as above
     * @param reviewed whether the owner examines the session after the transaction
     */
    public SessionFate(boolean kept, boolean reviewed) {
        this(kept, reviewed, false, false);
    }

    private SessionFate(boolean kept, boolean reviewed, boolean unchanged, boolean takesValues) {
        this.kept = kept;
        this.reviewed = reviewed;
        this.unchanged = unchanged;
        this.takesValues = takesValues;
    }

    /**
     * Returns the fate of a session whose transaction has only read and changed rows, without code of users: nothing
     * has to be restored. The owner lets no other client use the session before its initial state is restored, so that
     * an error in this knowledge concerns no other client.
     *
     * @param takesValues whether the session may remember values of sequences, which it must forget: a later
     *     transaction of the client has no access to them
     */
    public static SessionFate unchanged(boolean takesValues) {
        return new SessionFate(false, false, true, takesValues);
    }

    /** Returns whether an {@link #unchanged} session may remember values of sequences. */
    public boolean takesSequenceValues() {
        return takesValues;
    }

    /** Returns whether the transaction has changed nothing but rows: see {@link #unchanged}. */
    public boolean isUnchanged() {
        return unchanged;
    }

    /** Returns whether the session is examined after the transaction, which may take long. */
    public boolean isReviewed() {
        return reviewed || held;
    }

    public boolean isKept() {
        return kept;
    }

    /**
     * Records that the engine has reported session state which it cannot reset at the end of a transaction, such as a
     * role or temporary tables.
     */
    public void hold() {
        held = true;
    }

    /** Returns whether the session contains state, so that no other client may use it. */
    public boolean isHeld() {
        return held;
    }
}
