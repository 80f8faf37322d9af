// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Request;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Remembers a transaction that was aborted without a request of its client, because its node failed or its connection
 * was lost. The application does not know yet that its earlier statements are undone. Until the application rolls back,
 * no further statement runs; otherwise the rest of the transaction could be committed without its beginning. Protected
 * by the guard of the connection.
 */
public final class AbortedTransaction {
    private static final Pattern ROLLBACK = Pattern.compile(
            "\\s*(ROLLBACK|ABORT)\\b(?!(\\s+(WORK|TRANSACTION))?\\s+TO\\b).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern COMMIT = Pattern.compile(
            "\\s*((COMMIT|END)\\b.*|SET\\s+AUTOCOMMIT\\s*=\\s*1\\s*)", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private @Nullable String cause;

    /** Returns whether a statement is a ROLLBACK or COMMIT, or commits because it switches auto-commit on. */
    static boolean endsTransaction(Request request) {
        return is(ROLLBACK, request) || is(COMMIT, request);
    }

    /**
     * Records that the transaction was aborted.
     *
     * @param reason for the message of the exceptions that follow
     */
    void record(String reason) {
        cause = reason;
    }

    /**
     * Forgets the aborted transaction, because the application ends it: by a rollback, or by a commit, which then
     * fails.
     */
    public void clear() {
        cause = null;
    }

    /**
     * Refuses a request that would continue the aborted transaction.
     *
     * @throws SQLException 25P02 for a statement, 40001 for a commit
     */
    void check(Request request) throws SQLException {
        if (cause != null) {
            if (is(ROLLBACK, request)) {
                clear();
            } else if (is(COMMIT, request)) {
                failCommit();
            } else {
                throw new SQLException(
                        "the transaction was lost, statements are ignored until it is rolled back: " + cause,
                        SqlStates.IN_FAILED_TRANSACTION);
            }
        }
    }

    /**
     * Throws, once, the exception of a commit of an aborted transaction.
     *
     * @throws SQLException 40001 if the transaction was aborted
     */
    public void failCommit() throws SQLException {
        String reason = cause;
        if (reason != null) {
            clear();
            throw new SQLTransactionRollbackException(
                    "the transaction was rolled back; run it again: " + reason, SqlStates.SERIALIZATION_FAILURE);
        }
    }

    /**
     * Compares the text of a statement. Only unprepared statements are compared: applications do not prepare COMMIT.
     */
    private static boolean is(Pattern pattern, Request request) {
        return request instanceof Execute execute
                && execute.text().sql() != null
                && pattern.matcher(execute.text().sql()).matches();
    }
}
