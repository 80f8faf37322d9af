package io.multimed.engine.postgresql.connection;

import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Reads the fields of PostgreSQL's errors. */
public final class PostgresErrorFields {
    /** Where the server runs out of what one text may hold: see {@code capture_*} in install.sql. */
    private static final String CAPTURING = "multimed.capture_";

    /** The share of the heap that one result, or one fetched part of it, may occupy, in percent. */
    static final int RESULT_PERCENT = 45;

    private static final String TOO_LARGE =
            "Multimed captures a changed row as text, and PostgreSQL's texts end at 1 GB (bytea takes two characters per byte): keep the value in several rows.";

    private PostgresErrorFields() {}

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

    public static @Nullable SQLException clarify(SQLException failure) {
        if (isBeyondBuffer(failure)) {
            return beyondBuffer(failure);
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

    /** Whether the engine's driver has come to its {@code maxResultBuffer}; it calls that by name in every language. */
    static boolean isBeyondBuffer(SQLException failure) {
        return failure instanceof PSQLException psql
                && psql.getServerErrorMessage() == null
                && String.valueOf(psql.getMessage()).contains("maxResultBuffer");
    }

    /** The driver's own SQLState, 08S01, is that of its connection, which the client does not have. */
    private static SQLException beyondBuffer(SQLException failure) {
        long heap = Runtime.getRuntime().maxMemory();
        return new SQLException("""
                the result is larger than the middleware holds at once (%d MB), so it was given up; a transaction that was open is rolled back. \
                Set a fetch size (Statement.setFetchSize): rows then come piece by piece. Or give the middleware more memory than its -Xmx%dm. \
                A single row that is so large must be read in parts (substring)""".formatted((heap / 100 * RESULT_PERCENT) >> 20, heap >> 20), "53200", failure);
    }

    /** Whether the engine itself said it, not its driver. */
    static boolean isServers(SQLException failure) {
        return said(failure) != null;
    }

    /**
     * Whether the session continues after the error, regardless of its SQLState: functions may raise errors with any
     * SQLState. Only FATAL, which {@code lc_messages} may translate, ends the session.
     */
    static boolean isRaised(SQLException failure) {
        ServerErrorMessage said = said(failure);
        return said != null && "ERROR".equals(said.getSeverity());
    }

    /** For a batch it is the cause's. */
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

    /** Internal errors and limits, while a row's text is made. */
    private static boolean isTooLargeToCapture(ServerErrorMessage said) {
        String state = String.valueOf(said.getSQLState());
        return (state.equals("XX000") || state.equals("54000"))
                && String.valueOf(said.getWhere()).contains(CAPTURING);
    }
}
