// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Clob;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Converts objects to the target type of setObject, as the engine's own driver does. Dates and times become
 * milliseconds, and booleans 1 and 0.
 */
final class ParameterCasts {
    private ParameterCasts() {}

    /** Parses a number. */
    private interface Parser<T> {
        T parse(String text);
    }

    static int toInt(Object value) throws SQLException {
        return value instanceof Number number
                ? number.intValue()
                : number(value, "int", text -> (int) whole(value, text, Integer::parseInt));
    }

    static short toShort(Object value) throws SQLException {
        return value instanceof Number number
                ? number.shortValue()
                : number(value, "short", text -> (short) whole(value, text, Short::parseShort));
    }

    static long toLong(Object value) throws SQLException {
        return value instanceof Number number
                ? number.longValue()
                : number(value, "long", text -> whole(value, text, Long::parseLong));
    }

    static float toFloat(Object value) throws SQLException {
        return value instanceof Number number ? number.floatValue() : number(value, "float", Float::parseFloat);
    }

    static double toDouble(Object value) throws SQLException {
        return value instanceof Number number ? number.doubleValue() : number(value, "double", Double::parseDouble);
    }

    /**
     * Returns an integer. The caller truncates the integer to the number of bits of the target type. A date's
     * milliseconds always have 64 bits.
     */
    private static long whole(Object value, String text, Parser<? extends Number> parser) {
        return value instanceof java.util.Date
                ? Long.parseLong(text)
                : parser.parse(text).longValue();
    }

    /**
     * Returns a decimal number.
     *
     * @param scale -1 for the number's own scale
     */
    static BigDecimal toDecimal(Object value, int scale) throws SQLException {
        BigDecimal number = value instanceof Double || value instanceof Float
                ? BigDecimal.valueOf(((Number) value).doubleValue())
                : number(value, "BigDecimal", BigDecimal::new);
        return scale < 0 ? number : number.setScale(scale, RoundingMode.HALF_UP);
    }

    private static <T> T number(Object value, String type, Parser<T> parser) throws SQLException {
        String text = numeral(value);
        if (text == null) {
            throw cannotConvert(value, type, null);
        }
        try {
            return parser.parse(text);
        } catch (NumberFormatException e) {
            throw cannotConvert(value, type, e);
        }
    }

    /** Returns the text of an object that can be converted to a number; null for any other object. */
    private static @Nullable String numeral(Object value) throws SQLException {
        if (value instanceof String || value instanceof Number || value instanceof Character) {
            return value.toString();
        } else if (value instanceof Boolean truth) {
            return truth ? "1" : "0";
        } else if (value instanceof java.util.Date date) {
            return Long.toString(date.getTime());
        }
        return value instanceof Clob clob ? text(clob) : null;
    }

    static String toText(Object value) throws SQLException {
        return value instanceof Clob clob ? text(clob) : value.toString();
    }

    private static String text(Clob clob) throws SQLException {
        return clob.getSubString(1, (int) clob.length());
    }

    static boolean toBoolean(Object value) throws SQLException {
        if (value instanceof Boolean truth) {
            return truth;
        } else if (value instanceof Number number && (number.doubleValue() == 0 || number.doubleValue() == 1)) {
            return number.doubleValue() == 1;
        } else if (value instanceof Number || value instanceof String || value instanceof Character) {
            return BasicConversion.toBoolean(value.toString());
        }
        throw new SQLException("Cannot cast to boolean", SqlStates.CANNOT_COERCE);
    }

    /**
     * Returns the exception for an object whose class does not suit the target type.
     *
     * @param type name of the constant of java.sql.Types
     */
    static SQLException cannotCast(Object value, String type) {
        return new SQLException(
                "Cannot cast an instance of %s to type Types.%s"
                        .formatted(value.getClass().getName(), type.toUpperCase(Locale.ROOT)),
                SqlStates.RESTRICTED_DATA_TYPE);
    }

    private static SQLException cannotConvert(Object value, String type, @Nullable Exception cause) {
        return new SQLException(
                "Cannot convert an instance of %s to type %s"
                        .formatted(value.getClass().getName(), type),
                SqlStates.RESTRICTED_DATA_TYPE,
                cause);
    }
}
