package io.multimed.jdbc;

import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Warning;
import java.sql.BatchUpdateException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;

/** The one place that turns errors into exception classes. What the engine said stays as it was. */
final class Failures {
    private Failures() {}

    static SQLException of(ErrorReport report) {
        SQLException failure = byState(report.message(), report.sqlState(), report.vendorCode());
        if (report.batchCounts() != null) {
            failure = new BatchUpdateException(
                    report.message(), report.sqlState(), report.vendorCode(), report.batchCounts(), failure);
        }
        for (Warning next : report.next()) {
            failure.setNextException(byState(next.message(), next.sqlState(), next.vendorCode()));
        }
        return failure;
    }

    private static SQLException byState(String message, String state, int code) {
        if (state.equals("57014")) {
            return new SQLTimeoutException(message, state, code);
        }
        return switch (state.substring(0, 2)) {
            case "08" -> new SQLNonTransientConnectionException(message, state, code);
            case "0A" -> new SQLFeatureNotSupportedException(message, state, code);
            case "22" -> new SQLDataException(message, state, code);
            case "23" -> new SQLIntegrityConstraintViolationException(message, state, code);
            case "28" -> new SQLInvalidAuthorizationSpecException(message, state, code);
            case "40" -> new SQLTransactionRollbackException(message, state, code);
            case "42" -> new SQLSyntaxErrorException(message, state, code);
            default -> new SQLException(message, state, code);
        };
    }

    /** @param what is closed */
    static SQLException closed(String what) {
        return new SQLException("This %s has been closed.".formatted(what), SqlStates.OBJECT_CLOSED);
    }

    static SQLException connectionClosed() {
        return new SQLNonTransientConnectionException("This connection has been closed.", SqlStates.CONNECTION_CLOSED);
    }

    static SQLFeatureNotSupportedException unsupported(String method) {
        return new SQLFeatureNotSupportedException(
                method + " is not supported by the Multimed driver", SqlStates.NOT_SUPPORTED);
    }
}
