// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.Commit;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.OutcomeAnswer;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.session.SessionStatus;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransactionRollbackException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;

/**
 * Determines the result of a request whose answer was lost with the connection: the answer, or an exception that
 * reports the actual outcome.
 */
final class RequestRecovery {
    private RequestRecovery() {}

    /** Returns whether a request may have committed a transaction. */
    static boolean mayCommit(Request request) {
        return request instanceof Commit
                || request instanceof Execute
                || request instanceof ExecuteBatch
                || request instanceof ExecuteScript;
    }

    /**
     * Returns the response to a request, as if the connection had not been lost.
     *
     * @throws SQLException 40001 if nothing of the request was committed, or ever will be; MM001 if the request was
     *     committed and only its result is lost
     */
    static Response resultOf(Request request, OutcomeAnswer outcome, SQLException lost) throws SQLException {
        Response answer = outcome.answer();
        return switch (outcome.fate()) {
            case ANSWERED -> {
                if (answer == null || endedWithTheSession(answer)) {
                    throw rolledBack(lost);
                }
                yield answer;
            }
            case COMMITTED -> committed(request, outcome.scn(), lost);
            case NOT_COMMITTED -> throw rolledBack(lost);
            case UNKNOWN -> throw new IllegalArgumentException("nothing is known");
        };
    }

    /**
     * Returns whether a response was created after the loss of the client: the middleware then cancels the statement,
     * or rolls back the transaction that is still open.
     */
    private static boolean endedWithTheSession(Response answer) {
        SessionStatus status = answer.status();
        boolean open = status != null && status.inTransaction();
        return open
                || (answer instanceof ErrorReport report && report.sqlState().equals(SqlStates.QUERY_CANCELED));
    }

    /**
     * Returns the response to a request of which only the commit is known. This suffices for a commit, and for batches,
     * whose counts may be unknown in JDBC.
     *
     * @throws SQLException MM001 for any other statement: its result is lost
     */
    private static Response committed(Request request, long scn, SQLException lost) throws SQLException {
        SessionStatus status = new SessionStatus(false, false, SessionStatus.NO_NODE, scn);
        if (request instanceof Commit) {
            return new Done(status);
        }
        if (request instanceof ExecuteBatch batch && !batch.options().keys().wanted()) {
            return new BatchExecuted(status, noInfo(batch.rows().size()), null, List.of());
        }
        if (request instanceof ExecuteScript script) {
            return new BatchExecuted(status, noInfo(script.statements().size()), null, List.of());
        }
        throw new SQLException(
                "the statement was executed and committed (SCN %d), but its result was lost with the connection: do not run it again; %s"
                        .formatted(scn, lost.getMessage()),
                SqlStates.COMMITTED_WITHOUT_RESULT,
                lost);
    }

    private static long[] noInfo(int count) {
        long[] counts = new long[count];
        Arrays.fill(counts, Statement.SUCCESS_NO_INFO);
        return counts;
    }

    /** Returns the exception of a transaction that did not commit, and may be run again. */
    static SQLException rolledBack(SQLException lost) {
        return new SQLTransactionRollbackException(
                "the transaction was rolled back, nothing of it is committed; run it again: " + lost.getMessage(),
                SqlStates.SERIALIZATION_FAILURE,
                lost);
    }

    /** Returns the exception after a network timeout, which closes the connection, as JDBC specifies. */
    static SQLException timedOut(SQLException lost) {
        return new SQLNonTransientConnectionException(
                "%s and is closed; no change of the transaction is committed".formatted(lost.getMessage()),
                SqlStates.CONNECTION_FAILURE,
                lost);
    }

    /**
     * Returns the exception of a transaction whose outcome could not be determined in time.
     *
     * @param receipt the identifier of the request, for an operator
     */
    static SQLException outcomeUnknown(String receipt, SQLException lost) {
        return new SQLNonTransientConnectionException(
                "it is not known whether the transaction committed: %s; ask later by the statement SHOW MULTIMED OUTCOME %s"
                        .formatted(lost.getMessage(), receipt),
                SqlStates.OUTCOME_UNKNOWN,
                lost);
    }
}
