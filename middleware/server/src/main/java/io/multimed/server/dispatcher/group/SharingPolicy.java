// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import java.util.Locale;

/**
 * When single statements run inside commit groups and share transactions there (architecture 4.6). Tests choose a
 * policy with the system property {@code multimed.test.sharing}; otherwise it is {@link #ADAPTIVE}.
 */
enum SharingPolicy {
    /** Statements share that were fast so far, and that did not fail in a shared transaction recently. */
    ADAPTIVE(3, 256, 32, 100),

    /**
     * Statements share from their first execution, also after failures, and regardless of the expected size of the
     * WriteSet. Only a statement that was canceled in a group runs once outside of groups.
     */
    ALWAYS(0, 1, 0, 0),

    /** No statement shares a transaction. */
    NEVER(3, 256, 32, 100);

    private static final String PROPERTY = "multimed.test.sharing";

    private final int firstRuns;
    private final int runsAfterCancellation;
    private final int unsharedAfterFailure;
    private final int firstBytes;

    SharingPolicy(int firstRuns, int runsAfterCancellation, int unsharedAfterFailure, int firstBytes) {
        this.firstRuns = firstRuns;
        this.runsAfterCancellation = runsAfterCancellation;
        this.unsharedAfterFailure = unsharedAfterFailure;
        this.firstBytes = firstBytes;
    }

    /** Returns the policy that the system property names. */
    static SharingPolicy configured() {
        return valueOf(System.getProperty(PROPERTY, ADAPTIVE.name()).toUpperCase(Locale.ROOT));
    }

    /** Returns the number of executions outside of groups before the first one inside. */
    int firstRuns() {
        return firstRuns;
    }

    /** Returns the number of executions outside of groups after a cancellation inside. */
    int runsAfterCancellation() {
        return runsAfterCancellation;
    }

    /** Returns the number of executions that run alone after the failure of a shared transaction. */
    int unsharedAfterFailure() {
        return unsharedAfterFailure;
    }

    /** Returns the part of a WriteSet, in bytes, that is expected of a new statement. */
    int firstBytes() {
        return firstBytes;
    }
}
