package io.multimed.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.ArrayValue;
import io.multimed.protocol.Column;
import io.multimed.protocol.OtherValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.NClob;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.HexFormat;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Turns values of the protocol into what the application asks for, by JDBC's table of conversions. Null stays null, or becomes 0 or false. */
final class Values {
    private Values() {}

    static @Nullable String toText(@Nullable Object value) {
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            return text;
        }
        if (value instanceof Boolean truth) {
            return truth ? "t" : "f";
        }
        if (value instanceof BigDecimal number) {
            return number.toPlainString();
        }
        if (value instanceof byte[] bytes) {
            return "\\x" + HexFormat.of().formatHex(bytes);
        }
        if (value instanceof Double || value instanceof Float) {
            return floating(value.toString());
        }
        return value instanceof ArrayValue array ? JdbcArray.of(null, array).toString() : Temporals.toText(value);
    }

    /** Whole numbers without a fraction, as the engine writes them. */
    private static String floating(String text) {
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }

    static boolean toBoolean(@Nullable Object value) throws SQLException {
        if (value == null) {
            return false;
        }
        if (value instanceof Boolean truth) {
            return truth;
        }
        if (value instanceof Number number && (number.doubleValue() == 0 || number.doubleValue() == 1)) {
            return number.intValue() == 1;
        }
        return switch (value.toString().strip().toLowerCase(java.util.Locale.ROOT)) {
            case "t", "true", "y", "yes", "on", "1" -> true;
            case "f", "false", "n", "no", "off", "0" -> false;
            default ->
                throw new SQLDataException("Cannot cast to boolean: \"%s\"".formatted(value), SqlStates.CANNOT_CONVERT);
        };
    }

    /** Large objects, which a column of numbers may refer to, live in the engine's own session. */
    static @Nullable Blob toBlob(@Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return new JdbcBlob(bytes);
        }
        if (value instanceof Number) {
            throw Failures.unsupported("ResultSet.getBlob of a large object (use a column of type bytea)");
        }
        throw new SQLDataException("Bad value for type Blob : " + value, SqlStates.CANNOT_CONVERT);
    }

    static @Nullable NClob toClob(@Nullable Object value) throws SQLException {
        if (value instanceof Number) {
            throw Failures.unsupported("ResultSet.getClob of a large object (use a column of type text)");
        }
        String text = toText(value);
        return text == null ? null : new JdbcClob(text);
    }

    private static InetAddress inetAddress(Object value) throws SQLException {
        String text = value.toString();
        try {
            int slash = text.indexOf('/');
            return InetAddress.getByName(slash < 0 ? text : text.substring(0, slash));
        } catch (UnknownHostException e) {
            throw new SQLDataException("Bad value for type InetAddress : " + text, SqlStates.CANNOT_CONVERT, e);
        }
    }

    private static @Nullable Calendar calendar(Object value) throws SQLException {
        Timestamp timestamp = Temporals.toTimestamp(value, null);
        if (timestamp == null) {
            return null;
        }
        Calendar calendar = Calendar.getInstance();
        calendar.setTimeInMillis(timestamp.getTime());
        return calendar;
    }

    /** A whole number within bounds; fractions are cut off. */
    static long toInteger(@Nullable Object value, long least, long most, String type) throws SQLException {
        if (value == null) {
            return 0;
        }
        if (value instanceof Integer || value instanceof Long || value instanceof Short) {
            return within(((Number) value).longValue(), least, most, value, type);
        }
        if (value instanceof Boolean truth) {
            return truth ? 1 : 0;
        }
        BigInteger whole = decimal(value, type).setScale(0, RoundingMode.DOWN).toBigInteger();
        if (whole.bitLength() > 63) {
            throw outOfRange(value, type);
        }
        return within(whole.longValue(), least, most, value, type);
    }

    private static long within(long number, long least, long most, Object value, String type) throws SQLException {
        if (number < least || number > most) {
            throw outOfRange(value, type);
        }
        return number;
    }

    private static SQLException outOfRange(Object value, String type) {
        return new SQLDataException("Bad value for type %s : %s".formatted(type, value), SqlStates.OUT_OF_RANGE);
    }

    static double toDouble(@Nullable Object value) throws SQLException {
        if (value == null) {
            return 0;
        }
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        if (value instanceof Boolean truth) {
            return truth ? 1 : 0;
        }
        try {
            return Double.parseDouble(value.toString().strip());
        } catch (NumberFormatException e) {
            throw outOfRange(value, "double");
        }
    }

    static @Nullable BigDecimal toDecimal(@Nullable Object value) throws SQLException {
        return value == null ? null : decimal(value, "BigDecimal");
    }

    private static BigDecimal decimal(Object value, String type) throws SQLException {
        if (value instanceof BigDecimal number) {
            return number;
        }
        if (value instanceof Boolean truth) {
            return truth ? BigDecimal.ONE : BigDecimal.ZERO;
        }
        try {
            return new BigDecimal(value.toString().strip());
        } catch (NumberFormatException e) {
            throw outOfRange(value, type);
        }
    }

    static byte @Nullable [] toBytes(@Nullable Object value) {
        if (value == null || value instanceof byte[]) {
            return (byte[]) value;
        }
        return value.toString().getBytes(UTF_8);
    }

    static @Nullable Array toArray(@Nullable Object value, JdbcConnection connection) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof ArrayValue array) {
            return JdbcArray.of(connection, array);
        }
        throw new SQLDataException("the column is not an array", SqlStates.CANNOT_CONVERT);
    }

    /** The class that the engine's own driver gives. */
    static @Nullable Object toObject(@Nullable Object value, JdbcConnection connection) throws SQLException {
        if (value instanceof Short number) {
            return number.intValue();
        }
        if (value instanceof OtherValue other) {
            return other.typeName().equals("xml") ? new JdbcSqlXml(other.text()) : other.text();
        }
        if (value instanceof ArrayValue array) {
            return JdbcArray.of(connection, array);
        }
        return value instanceof java.time.temporal.Temporal ? Temporals.toObject(value) : value;
    }

    static <T> @Nullable T toClass(@Nullable Object value, Column column, Class<T> type, JdbcConnection connection)
            throws SQLException {
        if (value == null) {
            return null;
        }
        Object converted = type.isInstance(value) ? value : convert(value, type, connection);
        if (!type.isInstance(converted)) {
            throw new SQLDataException(
                    "conversion to %s from %s not supported".formatted(type, column.typeName()),
                    SqlStates.WRONG_PARAMETER);
        }
        return type.cast(converted);
    }

    private static @Nullable Object convert(Object value, Class<?> type, JdbcConnection connection)
            throws SQLException {
        if (type == String.class) {
            return toText(value);
        } else if (type == Integer.class) {
            return (int) toInteger(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
        } else if (type == Long.class) {
            return toInteger(value, Long.MIN_VALUE, Long.MAX_VALUE, "long");
        } else if (type == Short.class) {
            return (short) toInteger(value, Short.MIN_VALUE, Short.MAX_VALUE, "short");
        } else if (type == Double.class) {
            return toDouble(value);
        } else if (type == Float.class) {
            return (float) toDouble(value);
        } else if (type == Boolean.class) {
            return toBoolean(value);
        }
        return convertRare(value, type, connection);
    }

    private static @Nullable Object convertRare(Object value, Class<?> type, JdbcConnection connection)
            throws SQLException {
        if (type == BigDecimal.class) {
            return toDecimal(value);
        } else if (type == BigInteger.class) {
            return decimal(value, "BigInteger").toBigInteger();
        } else if (type == byte[].class) {
            return toBytes(value);
        } else if (type == UUID.class) {
            return UUID.fromString(value.toString());
        } else if (type == Array.class) {
            return toArray(value, connection);
        } else if (type == Blob.class) {
            return toBlob(value);
        } else if (type == Clob.class || type == NClob.class) {
            return new JdbcClob(String.valueOf(toText(value)));
        } else if (type == SQLXML.class) {
            return new JdbcSqlXml(String.valueOf(toText(value)));
        } else if (type == Byte.class) {
            return (byte) toInteger(value, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte");
        } else if (type == InetAddress.class) {
            return inetAddress(value);
        } else if (type == Calendar.class) {
            return calendar(value);
        }
        return Temporals.toClass(value, type);
    }
}
