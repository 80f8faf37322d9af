// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import java.sql.SQLException;

/** The error for commits that a crash of the master has undone after others may have seen them (architecture 4.2). */
public final class LostCommits {
    /** The SQLState of a transaction whose outcome is unknown. */
    public static final String UNKNOWN = "08007";

    private LostCommits() {}

    /** Returns the error for such a commit, or for a read that may have seen one. */
    public static SQLException error() {
        return new SQLException(
                "the transaction was rolled back: the master crashed, or ended a connection, before this commit, or a commit that the transaction has read, was durable; run the transaction again",
                "40001");
    }

    /** Returns the error for a commit whose outcome is unknown. */
    static SQLException unknown() {
        return new SQLException(
                "the connection to the master was lost before the commit was known to be on disk, and receipts are off: whether the transaction has committed is not known; look for its changes before the transaction runs again",
                UNKNOWN);
    }
}
