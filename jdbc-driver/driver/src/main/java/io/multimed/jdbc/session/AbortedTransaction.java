package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Execute;
import io.multimed.protocol.Request;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A transaction that ended in the middle, with the node or the connection that it ran on. The application does not know yet that its earlier statements are undone: until it
 * rolls back, nothing more is run, so that no half of a transaction is ever committed.
 */
public final class AbortedTransaction {
    private static final Pattern ROLLBACK = Pattern.compile(
            "\\s*(ROLLBACK|ABORT)\\b(?!(\\s+(WORK|TRANSACTION))?\\s+TO\\b).*",
            Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern COMMIT =
            Pattern.compile("\\s*(COMMIT|END)\\b.*", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private @Nullable String why;

    /** Whether a statement is there to end a transaction. */
    static boolean endsTransaction(Request request) {
        return is(ROLLBACK, request) || is(COMMIT, request);
    }

    /** @param reason how it was lost */
    void happened(String reason) {
        why = reason;
    }

    /** The application ends the transaction: by a rollback, or by a commit that must then fail. */
    public void ended() {
        why = null;
    }

    /** Throws if the application goes on as if nothing had happened. */
    void check(Request request) throws SQLException {
        if (why != null) {
            if (is(ROLLBACK, request)) {
                ended();
            } else if (is(COMMIT, request)) {
                failCommit();
            } else {
                throw new SQLException(
                        "the transaction was lost, statements are ignored until it is rolled back: " + why,
                        SqlStates.FAILED_TRANSACTION);
            }
        }
    }

    /** Throws what a commit of the lost transaction has to, once. */
    public void failCommit() throws SQLException {
        String reason = why;
        if (reason != null) {
            ended();
            throw new SQLTransactionRollbackException(
                    "the transaction was rolled back; run it again: " + reason, SqlStates.ROLLED_BACK);
        }
    }

    /** Looks at statements that are not prepared; transactions are not ended by prepared ones. */
    private static boolean is(Pattern pattern, Request request) {
        return request instanceof Execute execute
                && execute.text().sql() != null
                && pattern.matcher(execute.text().sql()).matches();
    }
}
