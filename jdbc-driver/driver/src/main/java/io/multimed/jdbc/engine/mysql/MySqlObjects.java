// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.mysql.MySqlTemporals.Part;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/** Implements getObject with a class. */
record MySqlObjects(MySqlConversions conversions, Column column) {
    <T> @Nullable T of(@Nullable Object value, Class<T> type) throws SQLException {
        if (value == null) {
            return null;
        }
        Object converted = convert(value, type);
        if (!type.isInstance(converted)) {
            throw new SQLException("Conversion not supported for type " + type.getName(), SqlStates.ILLEGAL_ARGUMENT);
        }
        return type.cast(converted);
    }

    /** Returns an object of a class; an object of another class, or null, if the class is not supported. */
    private @Nullable Object convert(Object value, Class<?> type) throws SQLException {
        if (type == String.class) {
            return conversions.toText(value, column, 0);
        } else if (type == Boolean.class) {
            return conversions.toBoolean(value, column);
        } else if (Number.class.isAssignableFrom(type)) {
            return number(value, type);
        } else if (type == byte[].class) {
            return conversions.toBytes(value, column, 0);
        } else if (type == Blob.class) {
            return conversions.toBlob(value, column);
        } else if (type == Clob.class || type == NClob.class) {
            return conversions.toClob(value, column);
        }
        return moment(value, type);
    }

    private @Nullable Object number(Object value, Class<?> type) throws SQLException {
        if (type == Byte.class) {
            return conversions.toByte(value, column);
        } else if (type == Short.class) {
            return (short) MySqlNumbers.toLong(value, column, Short.MIN_VALUE, Short.MAX_VALUE, type.getName());
        } else if (type == Integer.class) {
            return (int) MySqlNumbers.toLong(value, column, Integer.MIN_VALUE, Integer.MAX_VALUE, type.getName());
        } else if (type == Long.class) {
            return MySqlNumbers.toLong(value, column, Long.MIN_VALUE, Long.MAX_VALUE, type.getName());
        } else if (type == BigInteger.class) {
            return large(value);
        } else if (type == Float.class) {
            return conversions.toFloat(value, column);
        } else if (type == Double.class) {
            return conversions.toDouble(value, column);
        }
        return type == BigDecimal.class ? conversions.toBigDecimal(value, column) : null;
    }

    private BigInteger large(Object value) throws SQLException {
        String text = String.valueOf(conversions.toText(value, column, 0));
        try {
            return new BigInteger(text);
        } catch (NumberFormatException e) {
            throw new SQLException(
                    "Bad format for BigInteger in column %s.".formatted(text), SqlStates.ILLEGAL_ARGUMENT, e);
        }
    }

    private @Nullable Object moment(Object value, Class<?> type) throws SQLException {
        if (type == Date.class) {
            return conversions.toDate(value, column, null);
        } else if (type == Time.class) {
            return conversions.toTime(value, column, null);
        } else if (type == Timestamp.class || type == java.util.Date.class) {
            return conversions.toTimestamp(value, column, null);
        } else if (type == Calendar.class) {
            Calendar calendar = Calendar.getInstance();
            calendar.setTimeInMillis(local(value, Part.BOTH, type)
                    .atZone(ZoneId.systemDefault())
                    .toInstant()
                    .toEpochMilli());
            return calendar;
        }
        return javaTime(value, type);
    }

    private @Nullable Object javaTime(Object value, Class<?> type) throws SQLException {
        Object zoned = MySqlTemporals.isTemporal(column) ? null : MySqlTemporals.zoned(value, type);
        if (zoned != null) {
            return zoned;
        } else if (type == LocalDate.class) {
            return local(value, Part.DAY, type).toLocalDate();
        } else if (type == LocalTime.class) {
            return local(value, Part.TIME_OF_DAY, type).toLocalTime();
        } else if (type == LocalDateTime.class) {
            return local(value, Part.BOTH, type);
        } else if (type == OffsetDateTime.class) {
            return local(value, Part.BOTH, type).atZone(ZoneId.systemDefault()).toOffsetDateTime();
        } else if (type == OffsetTime.class) {
            return local(value, Part.TIME_OF_DAY, type).toLocalTime().atOffset(MySqlMoments.standardOffset());
        }
        if (type == Duration.class) {
            return MySqlTemporals.duration(value, column);
        }
        return type == ZonedDateTime.class ? local(value, Part.BOTH, type).atZone(ZoneId.systemDefault()) : null;
    }

    /** Returns a date and time without a time zone. */
    private LocalDateTime local(Object value, Part part, Class<?> type) throws SQLException {
        return MySqlTemporals.moment(value, column, part, type.getName());
    }
}
