// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.request;

import io.multimed.engine.Engines;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.value.Warning;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Converts failures to messages. Errors of the engine remain unchanged. An exception that is not an SQLException is a
 * defect; a defect is logged with its stack trace.
 */
public final class ErrorReports {
    private static final Logger LOG = LoggerFactory.getLogger(ErrorReports.class);
    public static final String MIDDLEWARE = "middleware";

    /** Limits the errors that are chained to one error; a batch can chain one error per statement. */
    private static final int MAX_CHAINED = 100;

    private ErrorReports() {}

    public static ErrorReport report(Exception failure, String node, SessionStatus status) {
        if (failure instanceof SQLException sql) {
            SQLException clearer = Engines.clarify(sql);
            return new ErrorReport(
                    status,
                    state(clearer),
                    clearer.getErrorCode(),
                    String.valueOf(clearer.getMessage()),
                    node,
                    Engines.errorFields(sql),
                    next(clearer),
                    counts(sql));
        }
        LOG.error("a request failed at {}", node, failure); // a defect of Multimed or of the engine's driver
        return new ErrorReport(status, "XX000", 0, "internal error of the middleware: " + failure, MIDDLEWARE);
    }

    /**
     * Returns the errors that the engine's driver has chained. For a batch, the first chained error is the engine's
     * own.
     */
    private static List<Warning> next(SQLException failure) {
        List<Warning> chained = new ArrayList<>();
        SQLException next = failure.getNextException();
        while (next != null && chained.size() < MAX_CHAINED) {
            chained.add(new Warning(
                    state(next), next.getErrorCode(), String.valueOf(next.getMessage()), Engines.errorFields(next)));
            next = next.getNextException();
        }
        return chained;
    }

    /** Returns the SQLState; HY000 if the engine's driver reports none. */
    private static String state(SQLException failure) {
        String state = failure.getSQLState();
        return state == null || state.length() != 5 ? "HY000" : state;
    }

    private static long @Nullable [] counts(SQLException failure) {
        return failure instanceof BatchUpdateException batch ? batch.getLargeUpdateCounts() : null;
    }
}
