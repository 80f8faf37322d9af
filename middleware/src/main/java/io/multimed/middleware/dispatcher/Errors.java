package io.multimed.middleware.dispatcher;

import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.SessionStatus;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** Turns failures into messages: what the engine said stays as it was. */
final class Errors {
    static final String MIDDLEWARE = "middleware";

    private Errors() {}

    static ErrorReport report(Exception failure, String node, SessionStatus status) {
        if (failure instanceof SQLException sql) {
            return new ErrorReport(
                    status, state(sql), sql.getErrorCode(), String.valueOf(sql.getMessage()), node, counts(sql));
        }
        return new ErrorReport(status, "XX000", 0, "internal error of the middleware: " + failure, MIDDLEWARE, null);
    }

    /** For a batch the engine's own exception is the cause; its text is already in the message. */
    private static String state(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || state.length() != 5 ? "HY000" : state;
    }

    private static long @Nullable [] counts(SQLException failure) {
        return failure instanceof BatchUpdateException batch ? batch.getLargeUpdateCounts() : null;
    }
}
