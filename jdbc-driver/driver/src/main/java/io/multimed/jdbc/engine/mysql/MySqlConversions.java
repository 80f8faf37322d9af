// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.engine.mysql.MySqlTemporals.Part;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.JdbcBlob;
import io.multimed.jdbc.value.JdbcClob;
import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Arrays;
import java.util.Calendar;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts values like MySQL Connector/J with its default settings. A column that is not of the requested kind is
 * converted by its text, and zero dates are refused. The column of an OUT parameter is the user variable from which
 * Connector/J reads the parameter.
 */
public final class MySqlConversions implements ResultConversions {
    private static final Pattern NO_FRACTION = Pattern.compile("\\.0+$");

    @Override
    public @Nullable String toText(@Nullable Object value, Column column, int limit) {
        if (value == null) {
            return null;
        }
        String text = toText(value, column);
        return limit > 0 && text.length() > limit && value instanceof String ? text.substring(0, limit) : text;
    }

    private static String toText(Object value, Column column) {
        if (value instanceof byte[] bytes) {
            return column.sqlType() == Types.BIT ? new BigInteger(1, bytes).toString() : new String(bytes, UTF_8);
        }
        if (MySqlTemporals.isYear(column)) {
            return "%04d-01-01".formatted(MySqlTemporals.year(value));
        } else if (column.sqlType() == Types.REAL) {
            return Float.valueOf(value.toString()).toString();
        } else if (MySqlNumbers.isReal(column)) {
            return Double.valueOf(value.toString()).toString();
        }
        return MySqlTemporals.isTemporal(column)
                ? NO_FRACTION.matcher(value.toString()).replaceAll("")
                : value.toString();
    }

    @Override
    public Match match(String name, @Nullable Object value, Column column) throws SQLException {
        return MySqlMatch.of(name, value, column);
    }

    @Override
    public boolean toBoolean(@Nullable Object value, Column column) throws SQLException {
        return value != null && MySqlNumbers.toBoolean(value, column);
    }

    @Override
    public byte toByte(@Nullable Object value, Column column) throws SQLException {
        return value == null ? 0 : MySqlNumbers.toByte(value, column);
    }

    @Override
    public long toLong(@Nullable Object value, Column column, long least, long most, String type) throws SQLException {
        return value == null ? 0 : MySqlNumbers.toLong(value, column, least, most, boxed(type));
    }

    /** Returns the name of the class that Connector/J names in messages. */
    private static String boxed(String type) {
        return switch (type) {
            case "short" -> "java.lang.Short";
            case "int" -> "java.lang.Integer";
            default -> "java.lang.Long";
        };
    }

    @Override
    public float toFloat(@Nullable Object value, Column column) throws SQLException {
        return value == null ? 0 : MySqlNumbers.toFloat(value, column);
    }

    @Override
    public double toDouble(@Nullable Object value, Column column) throws SQLException {
        return value == null ? 0 : MySqlNumbers.toDouble(value, column);
    }

    @Override
    public @Nullable BigDecimal toBigDecimal(@Nullable Object value, Column column) throws SQLException {
        return value == null ? null : MySqlNumbers.toDecimal(value, column, "java.math.BigDecimal");
    }

    @Override
    public @Nullable BigDecimal toBigDecimal(@Nullable Object value, Column column, int scale) throws SQLException {
        BigDecimal number = toBigDecimal(value, column);
        return number == null ? null : number.setScale(scale, RoundingMode.HALF_UP);
    }

    @Override
    public byte @Nullable [] toBytes(@Nullable Object value, Column column, int limit) {
        if (value == null) {
            return null;
        }
        byte[] bytes = value instanceof byte[] binary
                ? binary
                : engineText(value, column).getBytes(UTF_8);
        return limit > 0 && bytes.length > limit ? Arrays.copyOf(bytes, limit) : bytes;
    }

    private static String engineText(Object value, Column column) {
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        } else if (MySqlTemporals.isYear(column)) {
            return (column.displaySize() == 2 ? "%02d" : "%04d").formatted(((Number) value).intValue());
        }
        return value.toString();
    }

    @Override
    public @Nullable Date toDate(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return value == null
                ? null
                : MySqlTemporals.date(
                        MySqlTemporals.moment(value, column, Part.DAY, "java.sql.Date"),
                        MySqlTemporals.isTimeOfDay(value) ? null : calendar);
    }

    @Override
    public @Nullable Time toTime(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return value == null
                ? null
                : MySqlTemporals.time(
                        MySqlTemporals.moment(value, column, Part.TIME_OF_DAY, "java.sql.Time"), calendar);
    }

    @Override
    public @Nullable Timestamp toTimestamp(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return value == null
                ? null
                : MySqlTemporals.timestamp(
                        MySqlTemporals.moment(value, column, Part.BOTH, "java.sql.Timestamp"), calendar);
    }

    @Override
    public @Nullable Object toObject(@Nullable Object value, Column column, int limit) throws SQLException {
        if (value == null) {
            return null;
        }
        return switch (column.sqlType()) {
            case Types.BIT, Types.BOOLEAN -> column.precision() > 1 ? value : (Object) toBoolean(value, column);
            case Types.TINYINT, Types.SMALLINT -> ((Number) value).intValue();
            case Types.REAL -> toFloat(value, column);
            case Types.FLOAT, Types.DOUBLE -> toDouble(value, column);
            case Types.BIGINT -> value instanceof BigDecimal large ? large.toBigInteger() : value;
            case Types.DATE -> toDate(value, column, null);
            case Types.TIME -> toTime(value, column, null);
            case Types.TIMESTAMP -> moment(value, column);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> toBytes(value, column, limit);
            default -> value instanceof String ? toText(value, column, limit) : value;
        };
    }

    @Override
    public @Nullable Object toOutParameter(@Nullable Object value, Column column, int registered) throws SQLException {
        if (value == null) {
            return null;
        }
        return switch (registered) {
            case Types.BIT, Types.BOOLEAN -> toBoolean(value, column);
            case Types.TINYINT, Types.SMALLINT ->
                (int) toLong(value, column, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
            case Types.INTEGER -> integer(value, column);
            case Types.BIGINT -> toLong(value, column, Long.MIN_VALUE, Long.MAX_VALUE, "long");
            case Types.DECIMAL, Types.NUMERIC -> toBigDecimal(value, column);
            case Types.REAL -> toFloat(value, column);
            case Types.FLOAT, Types.DOUBLE -> toDouble(value, column);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> toBytes(value, column, 0);
            case Types.DATE -> toDate(value, column, null);
            case Types.TIME -> toTime(value, column, null);
            case Types.TIMESTAMP -> toTimestamp(value, column, null);
            default -> toText(value, column, 0);
        };
    }

    /** Returns a Long for an unsigned variable, and an Integer for any other. */
    private Object integer(Object value, Column column) throws SQLException {
        if (column.typeName().endsWith("UNSIGNED")) {
            return toLong(value, column, Long.MIN_VALUE, Long.MAX_VALUE, "long");
        }
        return (int) toLong(value, column, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
    }

    /**
     * Returns a Timestamp for a TIMESTAMP, which is a moment, and a LocalDateTime for a DATETIME, which has no time
     * zone.
     */
    private @Nullable Object moment(Object value, Column column) throws SQLException {
        return column.typeName().equals("TIMESTAMP")
                ? toTimestamp(value, column, null)
                : MySqlTemporals.moment(value, column, Part.BOTH, "java.time.LocalDateTime");
    }

    /** Converts to a class of the application's choice: see {@link MySqlObjects}. */
    @Override
    public <T> @Nullable T toObject(@Nullable Object value, Column column, Class<T> type) throws SQLException {
        return new MySqlObjects(this, column).of(value, type);
    }

    @Override
    public @Nullable Blob toBlob(@Nullable Object value, Column column) {
        byte[] bytes = toBytes(value, column, 0);
        return bytes == null ? null : new JdbcBlob(bytes);
    }

    @Override
    public @Nullable NClob toClob(@Nullable Object value, Column column) {
        String text = toText(value, column, 0);
        return text == null ? null : new JdbcClob(text);
    }

    /** Throws 0A000: the engine has no arrays. */
    @Override
    public @Nullable Array toArray(@Nullable Object value, Column column) throws SQLException {
        throw new SQLFeatureNotSupportedException(
                "getArray is not supported: the engine has no arrays", SqlStates.NOT_SUPPORTED);
    }
}
