// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ArrayRows;
import io.multimed.jdbc.value.BasicConversion;
import io.multimed.jdbc.value.DateTimeConversion;
import io.multimed.jdbc.value.JdbcSqlXml;
import io.multimed.jdbc.value.NumberConversion;
import io.multimed.jdbc.value.ObjectConversion;
import io.multimed.jdbc.value.TextFormat;
import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.Calendar;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Implements getObject with a class. The tables list the classes that PgJDBC returns for each type. */
public final class PostgreSqlObjects {
    private static final Map<Class<?>, Set<Integer>> BY_TYPE = Map.ofEntries(
            Map.entry(BigDecimal.class, Set.of(Types.NUMERIC, Types.DECIMAL)),
            Map.entry(String.class, Set.of(Types.CHAR, Types.VARCHAR)),
            Map.entry(Boolean.class, Set.of(Types.BOOLEAN, Types.BIT)),
            Map.entry(Short.class, Set.of(Types.SMALLINT)),
            Map.entry(Integer.class, Set.of(Types.INTEGER, Types.SMALLINT)),
            Map.entry(Long.class, Set.of(Types.BIGINT)),
            Map.entry(BigInteger.class, Set.of(Types.BIGINT)),
            Map.entry(Float.class, Set.of(Types.REAL)),
            Map.entry(Double.class, Set.of(Types.FLOAT, Types.DOUBLE)),
            Map.entry(Date.class, Set.of(Types.DATE)),
            Map.entry(Time.class, Set.of(Types.TIME)),
            Map.entry(Timestamp.class, Set.of(Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE)),
            Map.entry(Calendar.class, Set.of(Types.TIMESTAMP, Types.TIMESTAMP_WITH_TIMEZONE)),
            Map.entry(java.util.Date.class, Set.of(Types.TIMESTAMP)),
            Map.entry(Blob.class, Set.of(Types.BLOB, Types.BINARY, Types.BIGINT)),
            Map.entry(Clob.class, Set.of(Types.CLOB, Types.BIGINT)),
            Map.entry(byte[].class, Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY)),
            Map.entry(Array.class, Set.of(Types.ARRAY)),
            Map.entry(SQLXML.class, Set.of(Types.SQLXML)));

    /** The classes for which the value, not the column's type, determines whether the conversion is possible. */
    private static final Set<Class<?>> OTHERS = Set.of(
            UUID.class,
            InetAddress.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            OffsetDateTime.class,
            OffsetTime.class);

    private PostgreSqlObjects() {}

    static <T> @Nullable T convert(@Nullable Object value, Column column, Class<T> type, ArrayRows rows)
            throws SQLException {
        Set<Integer> types = BY_TYPE.get(type);
        if (types == null ? !OTHERS.contains(type) : !types.contains(column.sqlType())) {
            throw unsupported(type, column);
        }
        if (value == null) {
            return null;
        }
        Object converted = types == null ? byValue(value, column, type, rows) : byType(value, type, rows);
        if (!type.isInstance(converted)) {
            throw unsupported(type, column);
        }
        return type.cast(converted);
    }

    /** Converts a value to a class for which the column's type is one of those in the table. */
    private static @Nullable Object byType(Object value, Class<?> type, ArrayRows rows) throws SQLException {
        if (type == String.class) {
            return TextFormat.of(value);
        } else if (Number.class.isAssignableFrom(type)) {
            return number(value, type);
        } else if (type == Boolean.class) {
            return BasicConversion.toBoolean(value);
        } else if (type == byte[].class) {
            return BasicConversion.toBytes(value);
        } else if (type == Array.class) {
            return ObjectConversion.toArray(value, rows);
        } else if (type == Blob.class) {
            return ObjectConversion.toBlob(value);
        } else if (type == Clob.class) {
            return ObjectConversion.toClob(value);
        } else if (type == SQLXML.class) {
            return new JdbcSqlXml(TextFormat.of(value));
        }
        return moment(value, type);
    }

    private static @Nullable Object number(Object value, Class<?> type) throws SQLException {
        if (type == Integer.class) {
            return (int) NumberConversion.toLong(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
        } else if (type == Long.class) {
            return NumberConversion.toLong(value, Long.MIN_VALUE, Long.MAX_VALUE, "long");
        } else if (type == Short.class) {
            return (short) NumberConversion.toLong(value, Short.MIN_VALUE, Short.MAX_VALUE, "short");
        } else if (type == BigInteger.class) {
            return BigInteger.valueOf(NumberConversion.toLong(value, Long.MIN_VALUE, Long.MAX_VALUE, "long"));
        } else if (type == Float.class) {
            return NumberConversion.toFloat(value);
        }
        return type == Double.class ? (Object) NumberConversion.toDouble(value) : NumberConversion.toDecimal(value);
    }

    /** Converts a value to a class of java.sql or java.util. */
    private static @Nullable Object moment(Object value, Class<?> type) throws SQLException {
        if (type == Date.class) {
            return DateTimeConversion.toDate(value, null);
        } else if (type == Time.class) {
            return DateTimeConversion.toTime(value, null);
        }
        Timestamp timestamp = DateTimeConversion.toTimestamp(value, null);
        if (type == Timestamp.class || timestamp == null) {
            return timestamp;
        } else if (type == java.util.Date.class) {
            return new java.util.Date(timestamp.getTime());
        }
        Calendar calendar = Calendar.getInstance();
        calendar.setTimeInMillis(timestamp.getTime());
        return calendar;
    }

    private static @Nullable Object byValue(Object value, Column column, Class<?> type, ArrayRows rows)
            throws SQLException {
        if (type == UUID.class) {
            return ObjectConversion.toObject(value, column, 0, rows);
        } else if (type == InetAddress.class) {
            return inetAddress(TextFormat.of(value));
        }
        Object converted = DateTimeConversion.toClass(value, type);
        if (converted == null) {
            throw new SQLDataException(
                    "Cannot convert the column of type %s to requested type %s."
                            .formatted(engineName(column), type.getName()),
                    SqlStates.DATATYPE_MISMATCH);
        }
        return converted;
    }

    /** Returns the name of a column's type as it appears in PgJDBC's message. */
    private static String engineName(Column column) {
        String name = column.typeName().toUpperCase(Locale.ROOT);
        return name.startsWith("_") ? name.substring(1) + "_ARRAY" : name;
    }

    /** Returns the address of a text, without the length of its network. */
    private static InetAddress inetAddress(String text) throws SQLException {
        try {
            int slash = text.indexOf('/');
            return InetAddress.getByName(slash < 0 ? text : text.substring(0, slash));
        } catch (UnknownHostException e) {
            throw new SQLDataException("Invalid Inet data.", SqlStates.INVALID_PARAMETER, e);
        }
    }

    private static SQLException unsupported(Class<?> type, Column column) {
        return new SQLDataException(
                "conversion to %s from %s not supported".formatted(type, column.typeName()),
                SqlStates.INVALID_PARAMETER);
    }
}
