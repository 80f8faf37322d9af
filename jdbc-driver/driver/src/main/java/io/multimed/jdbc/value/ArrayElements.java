// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.OtherValue;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Converts arrays of SQL into arrays of Java, and back. The engine's own driver determines which class the elements of
 * each type have.
 */
final class ArrayElements {
    private static final Map<Integer, Class<?>> BY_TYPE = Map.ofEntries(
            Map.entry(Types.SMALLINT, Short.class),
            Map.entry(Types.INTEGER, Integer.class),
            Map.entry(Types.BIGINT, Long.class),
            Map.entry(Types.REAL, Float.class),
            Map.entry(Types.DOUBLE, Double.class),
            Map.entry(Types.NUMERIC, BigDecimal.class),
            Map.entry(Types.BIT, Boolean.class),
            Map.entry(Types.BOOLEAN, Boolean.class),
            Map.entry(Types.CHAR, String.class),
            Map.entry(Types.VARCHAR, String.class),
            Map.entry(Types.BINARY, byte[].class),
            Map.entry(Types.DATE, Date.class),
            Map.entry(Types.TIME, Time.class),
            Map.entry(Types.TIMESTAMP, Timestamp.class));

    private static final Map<String, Class<?>> BY_NAME =
            Map.of("uuid", UUID.class, "json", String.class, "jsonb", String.class);

    private ArrayElements() {}

    /** Returns a Java array with as many dimensions as the SQL array. */
    static Object toJava(ArrayValue array) throws SQLException {
        return toJava(array, componentOf(array));
    }

    /** Returns the class of the elements of the outermost dimension. */
    private static Class<?> componentOf(ArrayValue array) {
        Class<?> named = BY_NAME.getOrDefault(array.elementType(), Object.class);
        Class<?> component = BY_TYPE.getOrDefault(array.sqlType(), named);
        for (int depth = depth(array); depth > 1; depth--) {
            component = component.arrayType();
        }
        return component;
    }

    private static int depth(ArrayValue array) {
        int inner = 0;
        for (Object element : array.elements()) {
            inner = Math.max(inner, element instanceof ArrayValue nested ? depth(nested) : 0);
        }
        return 1 + inner;
    }

    private static Object toJava(ArrayValue array, Class<?> component) throws SQLException {
        Object made = Array.newInstance(component, array.elements().size());
        int index = 0;
        for (Object element : array.elements()) {
            Array.set(
                    made,
                    index++,
                    element instanceof ArrayValue nested
                            ? toJava(nested, component.getComponentType())
                            : element(element, array));
        }
        return made;
    }

    /** Returns an element in the class that belongs to the array's type. */
    private static @Nullable Object element(@Nullable Object value, ArrayValue of) throws SQLException {
        if (value == null) {
            return null;
        }
        return switch (of.sqlType()) {
            case Types.SMALLINT -> (short) NumberConversion.toLong(value, Short.MIN_VALUE, Short.MAX_VALUE, "short");
            case Types.INTEGER -> (int) NumberConversion.toLong(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
            case Types.BIGINT -> NumberConversion.toLong(value, Long.MIN_VALUE, Long.MAX_VALUE, "long");
            case Types.REAL -> NumberConversion.toFloat(value);
            case Types.DOUBLE -> NumberConversion.toDouble(value);
            case Types.NUMERIC -> NumberConversion.toDecimal(value);
            case Types.BIT, Types.BOOLEAN -> BasicConversion.toBoolean(value);
            case Types.CHAR, Types.VARCHAR -> TextFormat.of(value);
            case Types.BINARY -> BasicConversion.toBytes(value);
            case Types.DATE -> DateTimeConversion.toDate(value, null);
            case Types.TIME -> DateTimeConversion.toTime(value, null);
            case Types.TIMESTAMP -> DateTimeConversion.toTimestamp(value, null);
            default -> value instanceof OtherValue other ? other.text() : value;
        };
    }

    /**
     * Returns the elements of an application's array in classes of the protocol. An element of another class becomes a
     * text.
     */
    static List<@Nullable Object> toWire(Object array, String typeName, int type) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < Array.getLength(array); i++) {
            Object element = Array.get(array, i);
            boolean nested = element != null && element.getClass().isArray() && !(element instanceof byte[]);
            values.add(
                    nested ? new ArrayValue(typeName, type, toWire(element, typeName, type)) : elementValue(element));
        }
        return values;
    }

    /** Returns an element in a class of the protocol; the text of an element that has no such class. */
    private static @Nullable Object elementValue(@Nullable Object element) {
        if (element == null
                || element instanceof String
                || element instanceof Boolean
                || element instanceof byte[]
                || element instanceof UUID) {
            return element;
        }
        return element instanceof Number number ? NumberParameters.of(number).value() : element.toString();
    }
}
