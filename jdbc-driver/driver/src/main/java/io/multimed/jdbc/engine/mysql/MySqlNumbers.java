// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Types;
import java.text.MessageFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** Converts values into numbers and booleans. */
final class MySqlNumbers {
    private static final String BYTE = "java.lang.Byte";
    private static final Pattern FRACTION = Pattern.compile("-?\\d*\\.\\d*");

    private MySqlNumbers() {}

    /**
     * Returns the number that a value is or that its text contains.
     *
     * @param target the Java class that was requested, for the message
     * @throws SQLException 22018 if the value is not a number
     */
    static BigDecimal toDecimal(Object value, Column column, String target) throws SQLException {
        if (value instanceof Number number) {
            return exact(number);
        } else if (value instanceof Boolean truth) {
            return truth ? BigDecimal.ONE : BigDecimal.ZERO;
        } else if (value instanceof byte[] bytes) {
            return column.sqlType() == Types.BIT
                    ? new BigDecimal(new BigInteger(1, bytes))
                    : parse(new String(bytes, ISO_8859_1));
        } else if (MySqlTemporals.isTemporal(column)) {
            throw unsupported(MySqlTemporals.kind(column), target);
        }
        return isReal(column) ? BigDecimal.valueOf(Double.parseDouble(value.toString())) : parse(value.toString());
    }

    /** Returns a single-precision number. A decimal number has no negative zero. */
    static float toFloat(Object value, Column column) throws SQLException {
        float number = toDecimal(value, column, "java.lang.Float").floatValue();
        return number == 0 && isNegative(value, column) ? -0.0f : number;
    }

    /** Returns a double-precision number, as above. */
    static double toDouble(Object value, Column column) throws SQLException {
        double number = toDecimal(value, column, "java.lang.Double").doubleValue();
        return number == 0 && isNegative(value, column) ? -0.0 : number;
    }

    private static boolean isNegative(Object value, Column column) {
        return isReal(column) && value.toString().startsWith("-");
    }

    /**
     * Returns a number as a decimal number. Floating-point numbers are converted by their text, which has fewer digits
     * than their exact value.
     */
    private static BigDecimal exact(Number number) {
        if (number instanceof Float || number instanceof Double) {
            return new BigDecimal(number.toString());
        }
        return number instanceof BigDecimal decimal ? decimal : BigDecimal.valueOf(number.longValue());
    }

    /** Returns whether a column has a floating-point type. */
    static boolean isReal(Column column) {
        return column.sqlType() == Types.REAL || column.sqlType() == Types.FLOAT || column.sqlType() == Types.DOUBLE;
    }

    /** Parses a number. The empty text is zero. */
    private static BigDecimal parse(String text) throws SQLException {
        if (text.isEmpty()) {
            return BigDecimal.ZERO;
        }
        try {
            boolean real = text.contains("e")
                    || text.contains("E")
                    || FRACTION.matcher(text).matches();
            return real ? BigDecimal.valueOf(Double.parseDouble(text)) : new BigDecimal(new BigInteger(text));
        } catch (NumberFormatException e) {
            throw notUnderstood(text);
        }
    }

    /**
     * Returns an integer.
     *
     * @throws SQLException 22003 if the value is not within the bounds, 22018 if the value is not a number
     */
    static long toLong(Object value, Column column, long least, long most, String target) throws SQLException {
        BigDecimal number = toDecimal(value, column, target);
        if (number.compareTo(BigDecimal.valueOf(least)) < 0 || number.compareTo(BigDecimal.valueOf(most)) > 0) {
            throw outOfRange(written(value, column, number), target);
        }
        return number.longValue();
    }

    /**
     * Returns a number as it appears in messages: formatted with separators if the number has a fraction or more than
     * 64 bits.
     */
    private static String written(Object value, Column column, BigDecimal number) {
        boolean large = value instanceof BigDecimal || isReal(column);
        return large ? MessageFormat.format("{0}", number) : number.toPlainString();
    }

    /** Returns a byte; for a text of one character, the code of this character. */
    static byte toByte(Object value, Column column) throws SQLException {
        boolean text = (value instanceof String && !MySqlTemporals.isTemporal(column) && !isReal(column))
                || (value instanceof byte[] && column.sqlType() != Types.BIT);
        if (!text) {
            return (byte) toLong(value, column, Byte.MIN_VALUE, Byte.MAX_VALUE, BYTE);
        }
        byte[] bytes =
                value instanceof byte[] binary ? binary : value.toString().getBytes(UTF_8);
        if (bytes.length > 1 || (bytes.length == 1 && bytes[0] < 0)) {
            throw outOfRange(value instanceof byte[] ? new String(bytes, ISO_8859_1) : value.toString(), BYTE);
        }
        return bytes.length == 0 ? 0 : bytes[0];
    }

    /** Returns whether a word means true, or a number is positive or -1. */
    static boolean toBoolean(Object value, Column column) throws SQLException {
        if (value instanceof Boolean known) {
            return known;
        }
        boolean word = value instanceof String || (value instanceof byte[] && column.sqlType() != Types.BIT);
        if (word && !MySqlTemporals.isTemporal(column)) {
            String text = value instanceof byte[] bytes ? new String(bytes, ISO_8859_1) : value.toString();
            switch (text.toLowerCase(Locale.ROOT)) {
                case "y", "yes", "t", "true" -> {
                    return true;
                }
                case "n", "no", "f", "false" -> {
                    return false;
                }
                default -> {
                    // The text is none of the words; it may be a number.
                }
            }
        }
        BigDecimal number = toDecimal(value, column, "java.lang.Boolean");
        return number.signum() > 0 || number.compareTo(BigDecimal.ONE.negate()) == 0;
    }

    /** Returns the exception for a value whose type cannot be converted. */
    static SQLException unsupported(String from, String target) {
        return new SQLDataException(
                "Unsupported conversion from %s to %s".formatted(from, target), SqlStates.INVALID_CHARACTER_VALUE);
    }

    static SQLException notUnderstood(String text) {
        return new SQLDataException(
                "Cannot determine value type from string '%s'".formatted(text), SqlStates.INVALID_CHARACTER_VALUE);
    }

    private static SQLException outOfRange(String value, String target) {
        return new SQLDataException(
                "Value '%s' is outside of valid range for type %s".formatted(value, target),
                SqlStates.NUMBER_OUT_OF_RANGE);
    }
}
