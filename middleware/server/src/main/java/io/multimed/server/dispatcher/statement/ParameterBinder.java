// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.OtherValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import io.multimed.protocol.value.UploadedValue;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Calendar;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SimpleTimeZone;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Sets the parameters of a statement of the engine's driver as the application has set them in Multimed's driver (see
 * {@link Parameter} for the pairs of type and class).
 */
final class ParameterBinder {
    private ParameterBinder() {}

    /** @param uploads contains the large values */
    static void bind(PreparedStatement statement, List<Parameter> parameters, UploadedValues uploads)
            throws SQLException {
        bind(statement, 1, parameters, uploads);
    }

    /**
     * @param first index of the first parameter in the statement, from 1
     * @param uploads contains the large values
     */
    static void bind(PreparedStatement statement, int first, List<Parameter> parameters, UploadedValues uploads)
            throws SQLException {
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            if (parameter.value() instanceof UploadedValue uploaded) {
                uploads.bind(statement, first + i, uploaded, parameter.sqlType());
            } else if (!CallOptions.OUT_ONLY.equals(parameter.value())) {
                bind(statement, first + i, parameter);
            }
        }
    }

    /** Sets parameters of a statement that does not run; refuses large values, whose contents do not matter. */
    static void bindTypes(PreparedStatement statement, List<Parameter> parameters) throws SQLException {
        for (int i = 0; i < parameters.size(); i++) {
            bind(statement, 1 + i, parameters.get(i));
        }
    }

    private static void bind(PreparedStatement statement, int index, Parameter parameter) throws SQLException {
        Object value = parameter.value();
        if (value == null) {
            statement.setNull(index, parameter.sqlType());
        } else if (value instanceof String text) {
            bindText(statement, index, text, parameter.sqlType());
        } else if (value instanceof Number number) {
            bindNumber(statement, index, number, parameter.sqlType());
        } else if (value instanceof Boolean truth && parameter.sqlType() == Types.BOOLEAN) {
            statement.setBoolean(index, truth);
        } else if (value instanceof byte[] bytes) {
            statement.setBytes(index, bytes);
        } else {
            bindRare(statement, index, value, parameter.sqlType());
        }
    }

    private static void bindText(PreparedStatement statement, int index, String text, int sqlType) throws SQLException {
        if (sqlType == Types.VARCHAR) {
            statement.setString(index, text);
        } else if (sqlType == Types.LONGVARCHAR) {
            statement.setCharacterStream(index, new StringReader(text));
        } else {
            statement.setObject(index, text, sqlType);
        }
    }

    private static void bindNumber(PreparedStatement statement, int index, Number number, int sqlType)
            throws SQLException {
        if (number instanceof Integer value && sqlType == Types.INTEGER) {
            statement.setInt(index, value);
        } else if (number instanceof Long value && sqlType == Types.BIGINT) {
            statement.setLong(index, value);
        } else if (number instanceof BigDecimal value && sqlType == Types.NUMERIC) {
            statement.setBigDecimal(index, value);
        } else if (number instanceof Double value && sqlType == Types.DOUBLE) {
            statement.setDouble(index, value);
        } else {
            statement.setObject(index, number, sqlType);
        }
    }

    private static void bindRare(PreparedStatement statement, int index, Object value, int sqlType)
            throws SQLException {
        if (value instanceof ArrayValue array) {
            statement.setArray(index, array(statement.getConnection(), array));
        } else if (value instanceof OffsetDateTime moment && sqlType != Types.NULL) {
            bindMoment(statement, index, moment, sqlType);
        } else if (value instanceof OtherValue other) {
            statement.setObject(index, other.text(), Types.OTHER);
        } else if (value instanceof TypedNull nothing) {
            statement.setNull(index, sqlType, nothing.typeName());
        } else if (sqlType == Types.OTHER || sqlType == Types.NULL) {
            statement.setObject(index, value);
        } else {
            statement.setObject(index, value, sqlType);
        }
    }

    /**
     * Sets a point in time. The engine's driver sends it as text in a time zone; whether the engine uses the zone
     * depends on the column, as without Multimed.
     */
    private static void bindMoment(PreparedStatement statement, int index, OffsetDateTime moment, int sqlType)
            throws SQLException {
        Calendar zone = Calendar.getInstance(zone(moment.getOffset()), Locale.ROOT);
        long millis = moment.toInstant().toEpochMilli();
        switch (sqlType) {
            case Types.DATE -> statement.setDate(index, new Date(millis), zone);
            case Types.TIME -> statement.setTime(index, new Time(millis), zone);
            default -> statement.setTimestamp(index, Timestamp.from(moment.toInstant()), zone);
        }
    }

    /** TimeZone.getTimeZone silently returns UTC for an offset with seconds. */
    private static TimeZone zone(ZoneOffset offset) {
        return new SimpleTimeZone(offset.getTotalSeconds() * 1_000, offset.getId());
    }

    private static Array array(Connection connection, ArrayValue value) throws SQLException {
        String text = value.text();
        if (text != null) {
            return new TextArray(value.elementType(), value.sqlType(), text);
        }
        return connection.createArrayOf(value.elementType(), elements(value));
    }

    /**
     * Returns a Java array of the elements' class if the elements are byte arrays, because an engine's driver depends
     * on the class.
     */
    private static @Nullable Object[] elements(ArrayValue value) {
        @Nullable
        Object[] elements = value.elements().stream()
                .map(element -> element instanceof ArrayValue inner ? elements(inner) : element)
                .toArray();
        Class<?> common = Arrays.stream(elements)
                .filter(Objects::nonNull)
                .findFirst()
                .<Class<?>>map(Object::getClass)
                .orElse(Object.class);
        boolean bytes = common == byte[].class || common.getName().endsWith("[[B");
        return bytes
                ? Arrays.copyOf(elements, elements.length, common.arrayType().asSubclass(Object[].class))
                : elements;
    }
}
