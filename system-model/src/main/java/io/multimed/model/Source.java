package io.multimed.model;

/** Where an engine comes from (architecture 5). */
public enum Source {
    /** Binaries that come with Multimed. */
    EMBEDDED,
    /** An installation on this machine, started by Multimed. */
    INSTALLED,
    /** Runs already; Multimed only connects. */
    EXTERNAL,
}
