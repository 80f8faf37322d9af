// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.support;

import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.value.Warning;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;

/** Creates the exceptions that several packages throw. Text and fields of an engine's error are kept unchanged. */
public final class SqlErrors {
    private SqlErrors() {}

    /**
     * Returns the exception for an error that an engine or the middleware has reported, with further errors as next
     * exceptions.
     */
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

    /**
     * Returns the exception of an object that the application has closed.
     *
     * @param what the kind of object, for the message
     */
    public static SQLException closed(String what) {
        return new SQLException("This %s has been closed.".formatted(what), SqlStates.OBJECT_NOT_IN_STATE);
    }

    /** Returns the exception of a connection that the application has closed. */
    public static SQLException connectionClosed() {
        return new SQLNonTransientConnectionException("This connection has been closed.", SqlStates.CONNECTION_CLOSED);
    }

    /**
     * Returns the exception of a method that the driver does not support.
     *
     * @param method interface and name
     */
    public static SQLFeatureNotSupportedException unsupported(String method) {
        return new SQLFeatureNotSupportedException(
                method + " is not supported by the Multimed driver", SqlStates.NOT_SUPPORTED);
    }
}
