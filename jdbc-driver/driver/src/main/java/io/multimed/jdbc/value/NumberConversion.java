// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.SQLDataException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of columns into numbers. Null becomes 0. A value that is not a number is read from its text.
 * Fractions are cut off where an integer is requested.
 */
public final class NumberConversion {
    private NumberConversion() {}

    /**
     * Returns an integer.
     *
     * @param least the smallest value of the type
     * @param most the largest value of the type
     * @param type the name of a Java type, for the message
     * @throws SQLException 22003 if the value is not a number, or not within these bounds
     */
    public static long toLong(@Nullable Object value, long least, long most, String type) throws SQLException {
        if (value == null) {
            return 0;
        }
        if (value instanceof Integer || value instanceof Long || value instanceof Short) {
            long number = ((Number) value).longValue();
            if (number < least || number > most) {
                throw outOfRange(type, value.toString());
            }
            return number;
        }
        return parse(number(value), least, most, type);
    }

    private static long parse(String text, long least, long most, String type) throws SQLException {
        BigInteger whole;
        try {
            whole = new BigDecimal(text).toBigInteger();
        } catch (NumberFormatException e) {
            throw outOfRange(type, text);
        }
        if (whole.bitLength() > 63 || whole.longValue() < least || whole.longValue() > most) {
            throw outOfRange(type, text);
        }
        return whole.longValue();
    }

    /** Returns a byte; 0 for the empty text. */
    public static byte toByte(@Nullable Object value) throws SQLException {
        if (value == null || value instanceof Number) {
            return (byte) toLong(value, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte");
        }
        String text = TextFormat.of(value).strip();
        return text.isEmpty() ? 0 : (byte) parse(text, Byte.MIN_VALUE, Byte.MAX_VALUE, "byte");
    }

    public static float toFloat(@Nullable Object value) throws SQLException {
        if (value == null) {
            return 0;
        }
        if (value instanceof Float number) {
            return number;
        }
        String text = number(value);
        try {
            return Float.parseFloat(text);
        } catch (NumberFormatException e) {
            throw outOfRange("float", text);
        }
    }

    public static double toDouble(@Nullable Object value) throws SQLException {
        if (value == null) {
            return 0;
        }
        if (value instanceof Double number) {
            return number;
        }
        String text = number(value);
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            throw outOfRange("double", text);
        }
    }

    public static @Nullable BigDecimal toDecimal(@Nullable Object value) throws SQLException {
        if (value == null || value instanceof BigDecimal) {
            return (BigDecimal) value;
        }
        String text = number(value);
        try {
            return new BigDecimal(text);
        } catch (NumberFormatException e) {
            throw outOfRange("BigDecimal", text);
        }
    }

    /** Returns a decimal number with a scale, rounded half to even. */
    public static @Nullable BigDecimal toDecimal(@Nullable Object value, int scale) throws SQLException {
        BigDecimal number = toDecimal(value);
        return number == null ? null : number.setScale(scale, RoundingMode.HALF_EVEN);
    }

    /**
     * Returns the text of a value that may be a number. For an amount of money, the text has no currency sign, and a
     * minus sign instead of parentheses.
     */
    private static String number(Object value) {
        String text = TextFormat.of(value);
        if (text.length() > 2 && text.startsWith("(") && text.endsWith(")")) {
            text = "-" + text.substring(2, text.length() - 1);
        } else if (text.length() > 1 && text.startsWith("$")) {
            text = text.substring(1);
        } else if (text.startsWith("-$")) {
            text = "-" + text.substring(2);
        }
        return text.strip();
    }

    private static SQLException outOfRange(String type, String text) {
        return new SQLDataException("Bad value for type %s : %s".formatted(type, text), SqlStates.NUMBER_OUT_OF_RANGE);
    }
}
