package io.multimed.model;

/** How commits are ordered (architecture 4.2). */
public enum CommitOrdering {
    /** Commit groups that share one flush of the log. */
    GROUP,
    /** The paper's Algorithm 1, one at a time, for comparison. */
    SERIAL,
}
