// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

/**
 * How commits are ordered.
 *
 * @param largestGroup maximum number of members of a commit group
 * @param durableCommits whether each COMMIT waits for the disk itself; otherwise the log is forced for many at once
 * @param captureBypassing whether transactions that bypass the middleware are captured; otherwise they are refused
 * @param oneByOne whether each COMMIT of a group begins when the one before has returned, so that the order in which
 *     commits become visible is that of the engine's log; otherwise a group's COMMITs run at the same time
 * @param mayBeReplaced whether another middleware can take over the master while this one runs and cannot reach it
 */
public record CommitPolicy(
        int largestGroup, boolean durableCommits, boolean captureBypassing, boolean oneByOne, boolean mayBeReplaced) {
    /** Commit groups with a shared flush (architecture 4.2). */
    public static final CommitPolicy GROUPS = new CommitPolicy(Integer.MAX_VALUE, false, false, false, false);

    /** The paper's Algorithm 1: one durable commit at a time, for comparison. */
    public static final CommitPolicy SERIAL = new CommitPolicy(1, true, false, false, false);

    /** Commit groups whose commits become visible in the order of the engine's log. */
    public static final CommitPolicy LOG = new CommitPolicy(Integer.MAX_VALUE, false, false, true, false);

    /** Returns the same policy, with the given treatment of transactions that bypass the middleware. */
    public CommitPolicy capturing(boolean bypassing) {
        return new CommitPolicy(largestGroup, durableCommits, bypassing, oneByOne, mayBeReplaced);
    }

    /** Returns the same policy with this value of mayBeReplaced. */
    public CommitPolicy replaceable(boolean replaceable) {
        return new CommitPolicy(largestGroup, durableCommits, captureBypassing, oneByOne, replaceable);
    }
}
