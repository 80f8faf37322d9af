package io.multimed.middleware.propagation;

/**
 * How commits are ordered.
 *
 * @param largestGroup members of a commit group at most
 * @param durableCommits whether each COMMIT waits for the disk itself; otherwise the log is forced for many at once
 */
public record CommitPolicy(int largestGroup, boolean durableCommits) {
    /** Commit groups with a shared flush (design 4.2). */
    public static final CommitPolicy GROUPS = new CommitPolicy(Integer.MAX_VALUE, false);

    /** The paper's Algorithm 1: one durable commit at a time, for comparison. */
    public static final CommitPolicy SERIAL = new CommitPolicy(1, true);
}
