package io.multimed.jdbc.support;

import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.value.Warning;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;

/** The one place that turns errors into exceptions. What the engine said stays as it was. */
public final class SqlErrors {
    private SqlErrors() {}

    public static SQLException of(ErrorReport report) {
        Warning first = new Warning(report.sqlState(), report.vendorCode(), report.message(), report.fields());
        SQLException failure = ReportedErrors.of(first, report.node());
        if (report.batchCounts() != null) {
            failure = new ReportedErrors.BatchError(report, report.batchCounts(), failure);
        }
        for (Warning next : report.next()) {
            failure.setNextException(ReportedErrors.of(next, report.node()));
        }
        return failure;
    }

    /** @param what is closed */
    public static SQLException closed(String what) {
        return new SQLException("This %s has been closed.".formatted(what), SqlStates.OBJECT_CLOSED);
    }

    public static SQLException connectionClosed() {
        return new SQLNonTransientConnectionException("This connection has been closed.", SqlStates.CONNECTION_CLOSED);
    }

    public static SQLFeatureNotSupportedException unsupported(String method) {
        return new SQLFeatureNotSupportedException(
                method + " is not supported by the Multimed driver", SqlStates.NOT_SUPPORTED);
    }
}
