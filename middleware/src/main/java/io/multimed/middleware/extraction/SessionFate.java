package io.multimed.middleware.extraction;

/**
 * What becomes of an engine's session when a transaction ends in it: who has the session says whether its client keeps it, and the engine whether
 * something of the client's is left there. Used by one thread at a time.
 */
public final class SessionFate {
    private final boolean kept;
    private boolean held;

    /** @param kept whether the client keeps the session, with all that was set there; if not, it goes back to the others' as it began */
    public SessionFate(boolean kept) {
        this.kept = kept;
    }

    public boolean isKept() {
        return kept;
    }

    /** The engine says that the session holds something that it cannot take away in passing: a role, temporary tables. */
    public void hold() {
        held = true;
    }

    /** Whether nobody else may have the session as it is. */
    public boolean isHeld() {
        return held;
    }
}
