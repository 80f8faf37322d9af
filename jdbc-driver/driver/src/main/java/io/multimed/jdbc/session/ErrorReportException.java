// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.response.ErrorReport;
import java.sql.SQLException;

/**
 * Carries a reported error to {@link SessionChannel}, which first reads the session status and then chooses the class
 * of the exception that the application gets.
 */
public final class ErrorReportException extends SQLException {
    private final transient ErrorReport report;

    public ErrorReportException(ErrorReport report) {
        super(report.message(), report.sqlState(), report.vendorCode());
        this.report = report;
    }

    ErrorReport report() {
        return report;
    }
}
