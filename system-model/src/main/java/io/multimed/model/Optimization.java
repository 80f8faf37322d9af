package io.multimed.model;

/** The paper's optimisation levels (§3.4). */
public enum Optimization {
    /** Full copies on disk. */
    C0,
    /** Full copies in main memory. */
    C1,
    /** Full or partial copies in main memory, transactions routed to where their tables are. */
    C2,
}
