// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Parameter;
import java.io.InputStream;
import java.io.Reader;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.TimeZone;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Creates a {@link Parameter} for each value that an application sets. The SQL type tells the middleware which setter
 * of the engine's driver to call. A Timestamp, Date or Time is sent as a moment, in the zone of the calendar or of the
 * client, with its type. The engine's driver treats objects of java.time by their class, so these are sent with type
 * NULL.
 */
public final class ParameterFactory {
    private ParameterFactory() {}

    public static Parameter timestamp(@Nullable Timestamp value) throws SQLException {
        return value == null ? new Parameter(Types.TIMESTAMP, null) : timestamp(value, null);
    }

    public static Parameter date(@Nullable Date value) throws SQLException {
        return value == null ? new Parameter(Types.DATE, null) : date(value, null);
    }

    public static Parameter time(@Nullable Time value) throws SQLException {
        return value == null ? new Parameter(Types.TIME, null) : time(value, null);
    }

    /** Returns the parameter for a binary value. A long value is read from the Blob while the statement is sent. */
    public static Parameter blob(@Nullable Blob value) throws SQLException {
        return value == null
                ? new Parameter(Types.BINARY, null)
                : StreamParameters.exactBytes(value.getBinaryStream(), value.length());
    }

    /** Returns the parameter for a text. A long text is read from the Clob while the statement is sent. */
    public static Parameter clob(@Nullable Clob value) throws SQLException {
        return value == null
                ? new Parameter(Types.VARCHAR, null)
                : StreamParameters.text(value.getCharacterStream(), value.length());
    }

    public static Parameter xml(@Nullable SQLXML value) throws SQLException {
        return value == null ? new Parameter(Types.SQLXML, null) : new Parameter(Types.SQLXML, value.getString());
    }

    public static Parameter timestamp(Timestamp value, @Nullable Calendar calendar) throws SQLException {
        return moment(Types.TIMESTAMP, value.toInstant(), calendar);
    }

    public static Parameter date(Date value, @Nullable Calendar calendar) throws SQLException {
        return moment(Types.DATE, Instant.ofEpochMilli(value.getTime()), calendar);
    }

    public static Parameter time(Time value, @Nullable Calendar calendar) throws SQLException {
        return moment(Types.TIME, Instant.ofEpochMilli(value.getTime()), calendar);
    }

    /**
     * Returns a moment with the offset that java.util has for the zone, as the engine's own driver does: java.time has
     * different offsets before 1900.
     */
    private static Parameter moment(int type, Instant instant, @Nullable Calendar calendar) throws SQLException {
        TimeZone zone = calendar == null ? TimeZone.getDefault() : calendar.getTimeZone();
        int seconds = zone.getOffset(instant.toEpochMilli()) / 1_000;
        if (Math.abs(seconds) > ZoneOffset.MAX.getTotalSeconds()) {
            throw new SQLDataException(
                    "time zone displacement out of range: %d seconds in the zone %s".formatted(seconds, zone.getID()),
                    SqlStates.INVALID_TIME_ZONE);
        }
        return new Parameter(type, OffsetDateTime.ofInstant(instant, ZoneOffset.ofTotalSeconds(seconds)));
    }

    /**
     * Returns the parameter for setObject without a type: the class of the value determines the type.
     *
     * @throws SQLException 07006 if no type belongs to the class
     */
    public static Parameter object(@Nullable Object value) throws SQLException {
        if (value == null) {
            return new Parameter(Types.NULL, null);
        } else if (value instanceof String) {
            return new Parameter(Types.VARCHAR, value);
        } else if (value instanceof Number number) {
            return NumberParameters.of(number);
        } else if (value instanceof Boolean) {
            return new Parameter(Types.BOOLEAN, value);
        } else if (value instanceof java.util.Date date) {
            return javaDate(date);
        } else if (value instanceof Character character) {
            return new Parameter(Types.VARCHAR, character.toString());
        } else if (value instanceof byte[]) {
            return new Parameter(Types.BINARY, value);
        } else if (value instanceof UUID) {
            return new Parameter(Types.OTHER, value);
        }
        return large(value);
    }

    /** Returns the parameter for a class of java.sql. A plain java.util.Date is refused: its SQL type is ambiguous. */
    private static Parameter javaDate(java.util.Date value) throws SQLException {
        if (value instanceof Timestamp timestamp) {
            return timestamp(timestamp, null);
        } else if (value instanceof Date date) {
            return date(date, null);
        } else if (value instanceof Time time) {
            return time(time, null);
        }
        throw unknown(value);
    }

    /** Returns the parameter for an array, a large value, a stream, or an object of java.time. */
    private static Parameter large(Object value) throws SQLException {
        if (value instanceof Array array) {
            return array(array);
        } else if (value instanceof Blob blob) {
            return blob(blob);
        } else if (value instanceof Clob clob) {
            return clob(clob);
        } else if (value instanceof SQLXML xml) {
            return xml(xml);
        } else if (value instanceof InputStream stream) {
            return StreamParameters.bytes(stream, -1);
        } else if (value instanceof Reader reader) {
            return StreamParameters.text(reader, -1);
        } else if (value.getClass().isArray()) {
            return JdbcArray.ofJava(value);
        } else if (isOfJavaTime(value)) {
            return new Parameter(Types.NULL, value);
        }
        throw unknown(value);
    }

    private static boolean isOfJavaTime(Object value) {
        return value instanceof LocalDate
                || value instanceof LocalTime
                || value instanceof LocalDateTime
                || value instanceof OffsetDateTime
                || value instanceof OffsetTime;
    }

    /** Returns the parameter for an array, also for one that another driver has created. */
    public static Parameter array(@Nullable Array array) throws SQLException {
        if (array == null) {
            return new Parameter(Types.ARRAY, null);
        }
        JdbcArray own =
                array instanceof JdbcArray same ? same : JdbcArray.of(null, array.getBaseTypeName(), array.getArray());
        return own.toParameter();
    }

    public static Parameter object(@Nullable Object value, int sqlType) throws SQLException {
        return object(value, sqlType, -1);
    }

    /**
     * Returns the parameter for setObject with a type.
     *
     * @param scale number of digits after the decimal point of a decimal number; -1 for all digits
     * @throws SQLException 07006 if the value cannot be converted to the type
     */
    public static Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException {
        if (value == null) {
            return new Parameter(sqlType, null);
        }
        return switch (sqlType) {
            case Types.INTEGER -> new Parameter(sqlType, ParameterCasts.toInt(value));
            case Types.SMALLINT, Types.TINYINT -> new Parameter(Types.SMALLINT, ParameterCasts.toShort(value));
            case Types.BIGINT -> new Parameter(sqlType, ParameterCasts.toLong(value));
            case Types.REAL -> new Parameter(sqlType, ParameterCasts.toFloat(value));
            case Types.DOUBLE, Types.FLOAT -> new Parameter(Types.DOUBLE, ParameterCasts.toDouble(value));
            case Types.DECIMAL, Types.NUMERIC -> new Parameter(Types.NUMERIC, ParameterCasts.toDecimal(value, scale));
            case Types.BOOLEAN, Types.BIT -> new Parameter(Types.BOOLEAN, ParameterCasts.toBoolean(value));
            case Types.CHAR -> new Parameter(sqlType, ParameterCasts.toText(value));
            case Types.VARCHAR, Types.LONGVARCHAR -> text(value);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> object(value);
            default -> rare(value, sqlType);
        };
    }

    /** Returns the text of a value. A stream is read as ASCII, as the engine's own driver does. */
    private static Parameter text(Object value) throws SQLException {
        if (value instanceof InputStream stream) {
            return StreamParameters.ascii(stream, -1);
        }
        return value instanceof Reader reader
                ? StreamParameters.text(reader, -1)
                : new Parameter(Types.VARCHAR, ParameterCasts.toText(value));
    }

    /** Returns the parameter for the types that applications set less often. */
    private static Parameter rare(Object value, int sqlType) throws SQLException {
        return switch (sqlType) {
            case Types.DATE -> date(value);
            case Types.TIME -> time(value);
            case Types.TIMESTAMP -> timestamp(value);
            case Types.TIMESTAMP_WITH_TIMEZONE ->
                only(value instanceof OffsetDateTime, value, "TIMESTAMP_WITH_TIMEZONE");
            case Types.BLOB -> only(value instanceof Blob || value instanceof InputStream, value, "BLOB");
            case Types.CLOB -> only(value instanceof Clob || value instanceof Reader, value, "CLOB");
            case Types.ARRAY -> only(value instanceof Array || value.getClass().isArray(), value, "ARRAY");
            case Types.SQLXML -> value instanceof SQLXML xml ? xml(xml) : new Parameter(Types.SQLXML, value.toString());
            case Types.OTHER, Types.DISTINCT ->
                new Parameter(Types.OTHER, value instanceof UUID ? value : value.toString());
            default -> throw new SQLException("Unsupported Types value: " + sqlType, SqlStates.RESTRICTED_DATA_TYPE);
        };
    }

    /** Returns the parameter for a value, provided that its class suits the type. */
    private static Parameter only(boolean possible, Object value, String type) throws SQLException {
        if (!possible) {
            throw ParameterCasts.cannotCast(value, type);
        }
        return object(value);
    }

    private static Parameter date(Object value) throws SQLException {
        if (value instanceof LocalDate) {
            return new Parameter(Types.NULL, value);
        }
        return value instanceof java.util.Date date
                ? date(new Date(date.getTime()), null)
                : date(DateTimeConversion.toDate(value.toString(), null));
    }

    private static Parameter time(Object value) throws SQLException {
        if (value instanceof LocalTime || value instanceof OffsetTime) {
            return new Parameter(Types.NULL, value);
        }
        return value instanceof java.util.Date date
                ? time(new Time(date.getTime()), null)
                : time(DateTimeConversion.toTime(value.toString(), null));
    }

    private static Parameter timestamp(Object value) throws SQLException {
        if (value instanceof LocalDateTime) {
            return new Parameter(Types.NULL, value);
        } else if (value instanceof Timestamp timestamp) {
            return timestamp(timestamp, null);
        }
        return value instanceof java.util.Date date
                ? timestamp(new Timestamp(date.getTime()), null)
                : timestamp(DateTimeConversion.toTimestamp(value.toString(), null));
    }

    private static SQLException unknown(Object value) {
        return new SQLException(
                "Can't infer the SQL type to use for an instance of %s. Use setObject() with an explicit Types value to specify the type to use."
                        .formatted(value.getClass().getName()),
                SqlStates.RESTRICTED_DATA_TYPE);
    }
}
