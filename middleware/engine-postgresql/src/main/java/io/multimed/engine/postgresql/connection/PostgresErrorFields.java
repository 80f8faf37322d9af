// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.postgresql.sql.DriverSettings;
import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Reads the fields of PostgreSQL's errors, which clients receive unchanged, and explains the errors that Multimed
 * causes: rows that are too large to capture, and results that are too large to hold.
 */
public final class PostgresErrorFields {
    /** Appears in the context of errors that occur in the capture triggers, see {@code capture_*} in install.sql. */
    private static final String CAPTURING = "multimed.capture_";

    /** The share of the heap that one result, or one fetched part of it, may occupy, in percent. */
    static final int RESULT_PERCENT = 45;

    private static final String TOO_LARGE =
            "Multimed captures a changed row as text, and PostgreSQL's texts end at 1 GB (bytea takes two characters per byte): keep the value in several rows.";

    private PostgresErrorFields() {}

    /**
     * Returns the fields that the server has sent; none if the error comes from the driver. The hint is replaced for a
     * row that is too large to capture.
     */
    public static ErrorFields fields(SQLException failure) {
        ServerErrorMessage said = said(failure);
        if (said == null) {
            return ErrorFields.NONE;
        }
        Map<ErrorField, String> fields = new EnumMap<>(ErrorField.class);
        put(fields, ErrorField.SEVERITY, said.getSeverity());
        put(fields, ErrorField.MESSAGE, said.getMessage());
        put(fields, ErrorField.DETAIL, said.getDetail());
        put(fields, ErrorField.HINT, isTooLargeToCapture(said) ? TOO_LARGE : said.getHint());
        put(fields, ErrorField.POSITION, said.getPosition());
        put(fields, ErrorField.INTERNAL_POSITION, said.getInternalPosition());
        put(fields, ErrorField.INTERNAL_QUERY, said.getInternalQuery());
        put(fields, ErrorField.WHERE, said.getWhere());
        put(fields, ErrorField.SCHEMA, said.getSchema());
        put(fields, ErrorField.TABLE, said.getTable());
        put(fields, ErrorField.COLUMN, said.getColumn());
        put(fields, ErrorField.DATATYPE, said.getDatatype());
        put(fields, ErrorField.CONSTRAINT, said.getConstraint());
        put(fields, ErrorField.FILE, said.getFile());
        put(fields, ErrorField.LINE, said.getLine());
        put(fields, ErrorField.ROUTINE, said.getRoutine());
        return new ErrorFields(fields);
    }

    /**
     * Returns the error with an explanation; null if the engine's own message is clear. The SQLState of a result that
     * is too large becomes 53200, that of a setting with which the driver cannot work 0A000.
     */
    public static @Nullable SQLException clarify(SQLException failure) {
        if (isBeyondBuffer(failure)) {
            return beyondBuffer(failure);
        }
        String setting = changedSetting(failure);
        if (setting != null) {
            return new SQLFeatureNotSupportedException(
                    "%s was changed; an open transaction is rolled back, and the state of the session is lost. %s"
                            .formatted(setting, DriverSettings.REASON),
                    "0A000",
                    failure);
        }
        ServerErrorMessage said = said(failure);
        return said != null && isTooLargeToCapture(said)
                ? new SQLException(
                        failure.getMessage() + "\n  Hint: " + TOO_LARGE,
                        failure.getSQLState(),
                        failure.getErrorCode(),
                        failure)
                : null;
    }

    /**
     * Returns whether a result has reached the driver's {@code maxResultBuffer}. The driver's messages are translated,
     * but contain the name of this property in every language.
     */
    static boolean isBeyondBuffer(SQLException failure) {
        return failure instanceof PSQLException psql
                && psql.getServerErrorMessage() == null
                && String.valueOf(psql.getMessage()).contains("maxResultBuffer");
    }

    /**
     * Returns the setting because of which the driver has closed its connection, after a change that the statement's
     * text did not show; null for other failures.
     */
    static @Nullable String changedSetting(SQLException failure) {
        Throwable source = failure instanceof BatchUpdateException ? failure.getCause() : failure;
        return source instanceof PSQLException psql
                        && psql.getServerErrorMessage() == null
                        && "08006".equals(psql.getSQLState())
                ? DriverSettings.named(String.valueOf(psql.getMessage()))
                : null;
    }

    /**
     * Replaces the driver's SQLState 08S01, which would report a broken connection to the client: only the connection
     * to the engine is broken.
     */
    private static SQLException beyondBuffer(SQLException failure) {
        long heap = Runtime.getRuntime().maxMemory();
        return new SQLException("""
                the result is larger than the middleware holds at once (%d MB) and was discarded; an open transaction is rolled back. \
                Set a fetch size (Statement.setFetchSize), so that rows are sent in parts, or give the middleware more memory than -Xmx%dm. \
                Read the value of a single row of this size in parts (substring)""".formatted((heap / 100 * RESULT_PERCENT) >> 20, heap >> 20), "53200", failure);
    }

    /** Returns whether the server has reported the error, and not the driver. */
    public static boolean isServers(SQLException failure) {
        return said(failure) != null;
    }

    /**
     * Returns whether the session continues after the error, regardless of its SQLState: functions may raise errors
     * with any SQLState. Only FATAL, which {@code lc_messages} may translate, ends the session.
     */
    static boolean isRaised(SQLException failure) {
        ServerErrorMessage said = said(failure);
        return said != null && "ERROR".equals(said.getSeverity());
    }

    /** Returns the message of the server, which for a batch is in the cause; null if there is none. */
    private static @Nullable ServerErrorMessage said(SQLException failure) {
        Throwable source = failure instanceof BatchUpdateException ? failure.getCause() : failure;
        return source instanceof PSQLException psql ? psql.getServerErrorMessage() : null;
    }

    private static void put(Map<ErrorField, String> fields, ErrorField field, @Nullable String value) {
        if (value != null) {
            fields.put(field, value);
        }
    }

    private static void put(Map<ErrorField, String> fields, ErrorField field, int value) {
        if (value != 0) {
            fields.put(field, Integer.toString(value));
        }
    }

    /** Returns whether PostgreSQL reached a limit while a capture trigger assembled the text of a row. */
    private static boolean isTooLargeToCapture(ServerErrorMessage said) {
        String state = String.valueOf(said.getSQLState());
        return (state.equals("XX000") || state.equals("54000"))
                && String.valueOf(said.getWhere()).contains(CAPTURING);
    }
}
