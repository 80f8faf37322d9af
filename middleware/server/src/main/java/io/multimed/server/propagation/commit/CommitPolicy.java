// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

/**
 * How commits are ordered.
 *
 * @param largestGroup maximum number of members of a commit group
 * @param durableCommits whether each COMMIT waits for the disk itself; otherwise the log is forced for many at once
 * @param captureBypassing whether transactions that bypass the middleware are captured; otherwise they are refused
 * @param mayBeReplaced whether another middleware can take over the master while this one runs and cannot reach it
 */
public record CommitPolicy(int largestGroup, boolean durableCommits, boolean captureBypassing, boolean mayBeReplaced) {
    /** Commit groups with a shared flush (architecture 4.2). */
    public static final CommitPolicy GROUPS = new CommitPolicy(Integer.MAX_VALUE, false, false, false);

    /** The paper's Algorithm 1: one durable commit at a time, for comparison. */
    public static final CommitPolicy SERIAL = new CommitPolicy(1, true, false, false);

    /** Returns the same policy, with the given treatment of transactions that bypass the middleware. */
    public CommitPolicy capturing(boolean bypassing) {
        return new CommitPolicy(largestGroup, durableCommits, bypassing, mayBeReplaced);
    }

    /** Returns the same policy with this value of mayBeReplaced. */
    public CommitPolicy replaceable(boolean replaceable) {
        return new CommitPolicy(largestGroup, durableCommits, captureBypassing, replaceable);
    }
}
