// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import java.util.concurrent.TimeUnit;

/**
 * Estimates how long a statement takes. Only fast statements may run inside a commit group, because all other commits
 * wait for the group.
 *
 * <p>Thread-safe. Concurrent executions may overwrite each other's measurement, which only delays the estimate.
 */
final class LatencyEstimator {
    private static final long FAST_NANOS = TimeUnit.MILLISECONDS.toNanos(3);

    /**
     * A statement that takes longer inside a group, where a busy machine slows it down, delays the other commits too
     * much.
     */
    private static final long SLOW_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /**
     * A statement that takes longer does not share a transaction. Statements of one transaction run one after the
     * other; members of a group with transactions of their own run at the same time, on different cores, and only the
     * ends of these transactions are in order. Sharing therefore gains only if the statement takes less time than such
     * an end. The shortest of the last executions counts, because a busy machine delays single ones.
     */
    private static final long SHAREABLE_NANOS = TimeUnit.MICROSECONDS.toNanos(700);

    /** Executions after which one cancellation, or failure, is forgotten. */
    private static final int RUNS_UNTIL_FORGOTTEN = 256;

    /** Limits how often {@link SharingPolicy#runsAfterCancellation} is doubled. */
    private static final int MAX_DOUBLINGS = 6;

    private final int parameters;
    private final SharingPolicy policy;

    /** Moving average of the last executions, inside and outside of groups. */
    private volatile long averageNanos = FAST_NANOS;

    /** Executions outside of groups that remain before the statement may run inside a group. */
    private volatile int probation;

    /** Number of recent cancellations inside a group; each one doubles the probation. */
    private volatile int cancellations;

    /** Executions inside a group since {@link #cancellations} was last decremented. */
    private volatile int runsInGroup;

    /** Shortest of the last executions in shared transactions; a long execution raises the value by an eighth. */
    private volatile long shortestNanos = SHAREABLE_NANOS / 2;

    /** Executions that remain before the statement may share a transaction again. */
    private volatile int unshared;

    /** Number of recent failures of shared transactions; each one doubles {@link #unshared}. */
    private volatile int failures;

    /** Executions in shared transactions since {@link #failures} was last decremented. */
    private volatile int shared;

    /** Moving average of the statement's part of a WriteSet, in bytes. */
    private volatile int averageBytes;

    /** Whether a message asks for the key after the statement: initially, and once the text has reported a key. */
    private volatile boolean asksKey = true;

    private volatile boolean hasReportedKey;

    /** @param parameters number of placeholders in the statement */
    LatencyEstimator(int parameters, SharingPolicy policy) {
        this.parameters = parameters;
        this.policy = policy;
        this.probation = policy.firstRuns();
        this.averageBytes = policy.firstBytes();
    }

    int parameters() {
        return parameters;
    }

    boolean isFast() {
        return probation <= 0;
    }

    /** Records an execution outside of groups. */
    void ran(long nanos) {
        measure(nanos);
        int left = probation;
        if (left > 1 || (left == 1 && (averageNanos <= FAST_NANOS || policy == SharingPolicy.ALWAYS))) {
            probation = left - 1;
        }
    }

    /** Records an execution inside a group. */
    void ranInGroup(long nanos) {
        measure(nanos);
        int runs = runsInGroup + 1;
        runsInGroup = runs % RUNS_UNTIL_FORGOTTEN;
        if (runs == RUNS_UNTIL_FORGOTTEN) {
            cancellations = Math.max(0, cancellations - 1);
        }
        if (averageNanos > SLOW_NANOS) {
            probation = policy.firstRuns();
        }
    }

    private void measure(long nanos) {
        averageNanos = (7 * averageNanos + nanos) / 8;
    }

    /** Decides whether the next execution may share a transaction, and counts it if not. */
    boolean decidesToShare() {
        int left = unshared;
        if (left > 0) {
            unshared = left - 1;
        }
        return left <= 0 && policy != SharingPolicy.NEVER;
    }

    /** Returns whether a shared transaction with the statement was undone recently. */
    boolean hasFailedShared() {
        return unshared > 0;
    }

    /**
     * Records an execution in a shared transaction.
     *
     * @param nanos duration without the seal and the COMMIT
     * @param checkNanos the statement's part of the check that its transaction may be shared
     * @param bytes the statement's part of the WriteSet
     */
    void ranShared(long nanos, long checkNanos, int bytes) {
        ranInGroup(nanos);
        if (policy != SharingPolicy.ALWAYS) {
            averageBytes = (7 * averageBytes + bytes) / 8;
        }
        shortestNanos = Math.min(nanos + checkNanos, shortestNanos + shortestNanos / 8);
        if (shortestNanos > SHAREABLE_NANOS) {
            shortestNanos = SHAREABLE_NANOS / 2;
            failedShared();
            return;
        }
        int runs = shared + 1;
        shared = runs % RUNS_UNTIL_FORGOTTEN;
        if (runs == RUNS_UNTIL_FORGOTTEN) {
            failures = Math.max(0, failures - 1);
        }
    }

    boolean asksKey() {
        return asksKey;
    }

    /** Records whether an execution has reported a key. */
    void reportedKey(boolean reported) {
        hasReportedKey |= reported;
        asksKey = hasReportedKey;
    }

    /** Returns the estimated part of a WriteSet, in bytes. */
    int averageBytes() {
        return averageBytes;
    }

    /** Records that a shared transaction with the statement was undone. */
    void failedShared() {
        unshared = policy.unsharedAfterFailure() << failures;
        failures = Math.min(MAX_DOUBLINGS, failures + 1);
        shared = 0;
    }

    /** Records that the statement was canceled inside a group, which has delayed all other commits. */
    void canceledInGroup() {
        probation = policy.runsAfterCancellation() << cancellations;
        cancellations = Math.min(MAX_DOUBLINGS, cancellations + 1);
        runsInGroup = 0;
    }
}
