package io.multimed.model;

/** What a Computational Node does (paper §3.2.1). */
public enum Role {
    /** Runs every update; the one durable copy. */
    MASTER,
    /** Holds a copy and runs read-only transactions. */
    SATELLITE,
}
