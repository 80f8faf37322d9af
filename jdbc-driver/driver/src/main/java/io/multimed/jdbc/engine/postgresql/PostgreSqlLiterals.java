// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.value.StreamedValue;
import io.multimed.jdbc.value.TextFormat;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Formats parameters as literals, as PgJDBC does in the text of a statement. */
final class PostgreSqlLiterals {
    private static final Map<Class<?>, String> TYPES = Map.ofEntries(
            Map.entry(Short.class, "int2"),
            Map.entry(Integer.class, "int4"),
            Map.entry(Long.class, "int8"),
            Map.entry(Float.class, "real"),
            Map.entry(Double.class, "double precision"),
            Map.entry(BigDecimal.class, "numeric"),
            Map.entry(Boolean.class, "boolean"),
            Map.entry(UUID.class, "uuid"),
            Map.entry(LocalDate.class, "date"),
            Map.entry(LocalTime.class, "time"),
            Map.entry(OffsetTime.class, "time with time zone"),
            Map.entry(LocalDateTime.class, "timestamp"));

    private PostgreSqlLiterals() {}

    /** Returns the literal of a parameter, with a cast to its type unless the value is a text. */
    static String of(Parameter parameter) {
        Object value = parameter.value();
        if (value == null || value instanceof TypedNull) {
            return "(NULL)";
        } else if (value instanceof byte[]) {
            return "'" + TextFormat.of(value) + "'::bytea";
        } else if (value instanceof StreamedValue) {
            return "('<stream>')";
        }
        String type = type(parameter);
        return "('" + text(parameter).replace("'", "''") + "'" + (type == null ? "" : "::" + type) + ")";
    }

    /**
     * Returns the type of a literal; null for none. Dates and times of java.sql are sent without a type: see {@link
     * io.multimed.jdbc.value.ParameterFactory}.
     */
    private static @Nullable String type(Parameter parameter) {
        Object value = parameter.value();
        boolean isMoment = value instanceof OffsetDateTime && parameter.sqlType() == Types.NULL;
        return isMoment ? "timestamp with time zone" : TYPES.get(value == null ? Object.class : value.getClass());
    }

    private static String text(Parameter parameter) {
        Object value = parameter.value();
        if (value instanceof Boolean truth) {
            return truth ? "TRUE" : "FALSE";
        } else if (value instanceof ArrayValue array) {
            return array.text() == null ? TextFormat.array(array.elements(), true) : array.text();
        }
        String text = value == null ? "" : TextFormat.of(value);
        return switch (parameter.sqlType()) {
            case Types.DATE -> text.replaceFirst(" \\S*?([+-]\\S*)", " $1");
            case Types.TIME -> value instanceof OffsetDateTime ? text.substring(text.indexOf(' ') + 1) : text;
            default -> text;
        };
    }
}
