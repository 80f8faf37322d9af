package io.multimed.jdbc;

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

/** getObject with a class: which classes a column of which type can be asked for. These are the pairs that the engine's own driver has. */
final class ObjectClasses {
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

    /** Those that depend on the value. */
    private static final Set<Class<?>> OTHERS = Set.of(
            UUID.class,
            InetAddress.class,
            LocalDate.class,
            LocalTime.class,
            LocalDateTime.class,
            OffsetDateTime.class,
            OffsetTime.class);

    private ObjectClasses() {}

    static <T> @Nullable T convert(
            @Nullable Object value, Column column, Class<T> type, @Nullable JdbcConnection connection)
            throws SQLException {
        Set<Integer> types = BY_TYPE.get(type);
        if (types == null ? !OTHERS.contains(type) : !types.contains(column.sqlType())) {
            throw unsupported(type, column);
        }
        if (value == null) {
            return null;
        }
        Object converted = types == null ? other(value, column, type, connection) : byType(value, type, connection);
        if (!type.isInstance(converted)) {
            throw unsupported(type, column);
        }
        return type.cast(converted);
    }

    private static @Nullable Object byType(Object value, Class<?> type, @Nullable JdbcConnection connection)
            throws SQLException {
        if (type == String.class) {
            return Texts.of(value);
        } else if (Number.class.isAssignableFrom(type)) {
            return number(value, type);
        } else if (type == Boolean.class) {
            return Values.toBoolean(value);
        } else if (type == byte[].class) {
            return Values.toBytes(value);
        } else if (type == Array.class) {
            return Values.toArray(value, connection);
        } else if (type == Blob.class) {
            return Values.toBlob(value);
        } else if (type == Clob.class) {
            return Values.toClob(value);
        } else if (type == SQLXML.class) {
            return new JdbcSqlXml(Texts.of(value));
        }
        return moment(value, type);
    }

    private static @Nullable Object number(Object value, Class<?> type) throws SQLException {
        if (type == Integer.class) {
            return (int) Numbers.whole(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
        } else if (type == Long.class) {
            return Numbers.whole(value, Long.MIN_VALUE, Long.MAX_VALUE, "long");
        } else if (type == Short.class) {
            return (short) Numbers.whole(value, Short.MIN_VALUE, Short.MAX_VALUE, "short");
        } else if (type == BigInteger.class) {
            return BigInteger.valueOf(Numbers.whole(value, Long.MIN_VALUE, Long.MAX_VALUE, "long"));
        } else if (type == Float.class) {
            return Numbers.toFloat(value);
        }
        return type == Double.class ? (Object) Numbers.toDouble(value) : Numbers.toDecimal(value);
    }

    private static @Nullable Object moment(Object value, Class<?> type) throws SQLException {
        if (type == Date.class) {
            return Temporals.toDate(value, null);
        } else if (type == Time.class) {
            return Temporals.toTime(value, null);
        }
        Timestamp timestamp = Temporals.toTimestamp(value, null);
        if (type == Timestamp.class || timestamp == null) {
            return timestamp;
        } else if (type == java.util.Date.class) {
            return new java.util.Date(timestamp.getTime());
        }
        Calendar calendar = Calendar.getInstance();
        calendar.setTimeInMillis(timestamp.getTime());
        return calendar;
    }

    private static @Nullable Object other(
            Object value, Column column, Class<?> type, @Nullable JdbcConnection connection) throws SQLException {
        if (type == UUID.class) {
            return Values.toObject(value, column, 0, connection);
        } else if (type == InetAddress.class) {
            return inetAddress(Texts.of(value));
        }
        Object converted = Temporals.toClass(value, type);
        if (converted == null) {
            throw new SQLDataException(
                    "Cannot convert the column of type %s to requested type %s."
                            .formatted(engineName(column), type.getName()),
                    SqlStates.WRONG_TYPE);
        }
        return converted;
    }

    /** As the engine's own driver writes it in this message. */
    private static String engineName(Column column) {
        String name = column.typeName().toUpperCase(Locale.ROOT);
        return name.startsWith("_") ? name.substring(1) + "_ARRAY" : name;
    }

    private static InetAddress inetAddress(String text) throws SQLException {
        try {
            int slash = text.indexOf('/');
            return InetAddress.getByName(slash < 0 ? text : text.substring(0, slash));
        } catch (UnknownHostException e) {
            throw new SQLDataException("Invalid Inet data.", SqlStates.WRONG_PARAMETER, e);
        }
    }

    private static SQLException unsupported(Class<?> type, Column column) {
        return new SQLDataException(
                "conversion to %s from %s not supported".formatted(type, column.typeName()), SqlStates.WRONG_PARAMETER);
    }
}
