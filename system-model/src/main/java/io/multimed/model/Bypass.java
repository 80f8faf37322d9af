package io.multimed.model;

/** What becomes of writes to the master that do not come through Multimed. */
public enum Bypass {
    /** They fail, with an error that says why. */
    REFUSE,
    /** They are numbered and delivered like all others. */
    CAPTURE,
}
