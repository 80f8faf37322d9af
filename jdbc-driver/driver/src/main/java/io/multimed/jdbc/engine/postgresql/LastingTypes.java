// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Keeps the type of a parameter for a NULL without a type that is set afterwards, as PgJDBC does. */
final class LastingTypes {
    /** The types of java.sql.Types that PgJDBC sends as NULL without a type. */
    private static final Set<Integer> UNTYPED = Set.of(
            Types.NULL,
            Types.OTHER,
            Types.ARRAY,
            Types.DISTINCT,
            Types.STRUCT,
            Types.TIME,
            Types.TIME_WITH_TIMEZONE,
            Types.TIMESTAMP,
            Types.TIMESTAMP_WITH_TIMEZONE);

    private static final Map<Class<?>, String> NAMES = Map.of(
            UUID.class, "uuid",
            LocalDate.class, "date",
            LocalTime.class, "time",
            LocalDateTime.class, "timestamp",
            OffsetTime.class, "timetz",
            OffsetDateTime.class, "timestamptz");

    private LastingTypes() {}

    /**
     * Returns the parameter to send in place of one that the application has set.
     *
     * @param before the parameter in the same place until now; null if there was none
     */
    static Parameter after(@Nullable Parameter before, Parameter given) {
        boolean isUntyped = given.value() == null && UNTYPED.contains(given.sqlType());
        return before == null || !isUntyped ? given : typedNull(before, given);
    }

    private static Parameter typedNull(Parameter before, Parameter given) {
        Object value = before.value();
        if (value == null || value instanceof TypedNull) {
            return before;
        } else if (value instanceof ArrayValue array) {
            return new Parameter(Types.ARRAY, new TypedNull(array.elementType() + "[]"));
        }
        boolean isMoment = value instanceof OffsetDateTime && before.sqlType() != Types.NULL;
        String name = NAMES.get(value.getClass());
        if (isMoment || (name == null && before.sqlType() == Types.OTHER)) {
            return given; // PgJDBC has sent the value without a type, too.
        }
        return name == null ? new Parameter(before.sqlType(), null) : new Parameter(Types.OTHER, new TypedNull(name));
    }
}
