package io.multimed.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.ArrayValue;
import io.multimed.protocol.Column;
import io.multimed.protocol.OtherValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Array;
import java.sql.SQLDataException;
import java.sql.SQLException;
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
        return value instanceof ArrayValue array ? JdbcArray.of(array).toString() : Temporals.toText(value);
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

    static @Nullable Array toArray(@Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof ArrayValue array) {
            return JdbcArray.of(array);
        }
        throw new SQLDataException("the column is not an array", SqlStates.CANNOT_CONVERT);
    }

    /** The class that the engine's own driver gives. */
    static @Nullable Object toObject(@Nullable Object value) throws SQLException {
        if (value instanceof Short number) {
            return number.intValue();
        }
        if (value instanceof OtherValue other) {
            return other.text();
        }
        if (value instanceof ArrayValue array) {
            return JdbcArray.of(array);
        }
        return value instanceof java.time.temporal.Temporal ? Temporals.toObject(value) : value;
    }

    static <T> @Nullable T toClass(@Nullable Object value, Column column, Class<T> type) throws SQLException {
        if (value == null) {
            return null;
        }
        Object converted = type.isInstance(value) ? value : convert(value, type);
        if (!type.isInstance(converted)) {
            throw new SQLDataException(
                    "conversion to %s from %s not supported".formatted(type, column.typeName()),
                    SqlStates.WRONG_PARAMETER);
        }
        return type.cast(converted);
    }

    private static @Nullable Object convert(Object value, Class<?> type) throws SQLException {
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
        return convertRare(value, type);
    }

    private static @Nullable Object convertRare(Object value, Class<?> type) throws SQLException {
        if (type == BigDecimal.class) {
            return toDecimal(value);
        } else if (type == BigInteger.class) {
            return decimal(value, "BigInteger").toBigInteger();
        } else if (type == byte[].class) {
            return toBytes(value);
        } else if (type == UUID.class) {
            return UUID.fromString(value.toString());
        } else if (type == Array.class) {
            return toArray(value);
        }
        return Temporals.toClass(value, type);
    }
}
