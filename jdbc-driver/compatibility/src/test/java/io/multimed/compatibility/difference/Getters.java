// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.ResultSet;
import java.sql.SQLXML;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TimeZone;
import java.util.UUID;

/** All ways to read a column: found by reflection, so that the list is complete. */
final class Getters {
    private static final List<Class<?>> CLASSES = List.of(
            String.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            BigDecimal.class,
            BigInteger.class,
            byte[].class,
            java.sql.Date.class,
            java.sql.Time.class,
            Timestamp.class,
            java.util.Date.class,
            Calendar.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            OffsetTime.class,
            OffsetDateTime.class,
            ZonedDateTime.class,
            Instant.class,
            Duration.class,
            UUID.class,
            Array.class,
            Blob.class,
            Clob.class,
            SQLXML.class,
            Object.class,
            Thread.class);

    private Getters() {}

    /** The getters by the name of the call. */
    static Map<String, Call<ResultSet>> all() {
        Map<String, Call<ResultSet>> getters = new LinkedHashMap<>();
        Arrays.stream(ResultSet.class.getMethods())
                .filter(method -> method.getName().startsWith("get"))
                .sorted(Comparator.comparing(Method::toString))
                .forEach(method -> add(method, getters));
        for (Class<?> type : CLASSES) {
            getters.put("getObject(" + type.getSimpleName() + ")", rows -> rows.getObject(1, type));
        }
        getters.put("wasNull", rows -> {
            rows.getObject(1);
            return rows.wasNull();
        });
        return getters;
    }

    private static void add(Method method, Map<String, Call<ResultSet>> getters) {
        List<Class<?>> parameters = List.of(method.getParameterTypes());
        if (parameters.equals(List.of(int.class))) {
            getters.put(method.getName(), rows -> method.invoke(rows, 1));
        } else if (parameters.equals(List.of(String.class))) {
            getters.put(method.getName() + "(label)", rows -> method.invoke(rows, "V"));
        } else if (parameters.equals(List.of(int.class, Calendar.class))) {
            getters.put(method.getName() + "(calendar)", rows -> method.invoke(rows, 1, calendar()));
        }
    }

    static Calendar calendar() {
        return Calendar.getInstance(TimeZone.getTimeZone("America/New_York"));
    }
}
