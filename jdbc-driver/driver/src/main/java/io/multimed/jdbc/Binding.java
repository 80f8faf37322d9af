package io.multimed.jdbc;

import io.multimed.protocol.OtherValue;
import io.multimed.protocol.Parameter;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Array;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.util.Calendar;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Turns what an application sets into a {@link Parameter}. The type says which setter of the engine's driver the middleware calls: a Timestamp travels as an
 * OffsetDateTime of the client's zone with type TIMESTAMP, a Date or Time as LocalDate or LocalTime with type DATE or TIME; objects of java.time,
 * for which the engine's driver decides by class, travel with type NULL.
 */
final class Binding {
    private Binding() {}

    static Parameter timestamp(Timestamp value, @Nullable Calendar calendar) {
        ZoneId zone = calendar == null
                ? ZoneId.systemDefault()
                : calendar.getTimeZone().toZoneId();
        return new Parameter(Types.TIMESTAMP, value.toInstant().atZone(zone).toOffsetDateTime());
    }

    static Parameter date(Date value, @Nullable Calendar calendar) {
        return new Parameter(
                Types.DATE,
                calendar == null
                        ? value.toLocalDate()
                        : Instant.ofEpochMilli(value.getTime())
                                .atZone(calendar.getTimeZone().toZoneId())
                                .toLocalDate());
    }

    static Parameter time(Time value, @Nullable Calendar calendar) {
        ZoneId zone = calendar == null
                ? ZoneId.systemDefault()
                : calendar.getTimeZone().toZoneId();
        return new Parameter(
                Types.TIME, Instant.ofEpochMilli(value.getTime()).atZone(zone).toLocalTime());
    }

    /** setObject without a type: by class. */
    static Parameter object(@Nullable Object value) throws SQLException {
        if (value == null) {
            return new Parameter(Types.NULL, null);
        }
        if (value instanceof String) {
            return new Parameter(Types.VARCHAR, value);
        }
        if (value instanceof Number number) {
            return number(number);
        }
        if (value instanceof Boolean) {
            return new Parameter(Types.BOOLEAN, value);
        }
        return dateOrRare(value);
    }

    private static Parameter number(Number value) throws SQLException {
        if (value instanceof Integer) {
            return new Parameter(Types.INTEGER, value);
        } else if (value instanceof Long) {
            return new Parameter(Types.BIGINT, value);
        } else if (value instanceof BigDecimal) {
            return new Parameter(Types.NUMERIC, value);
        } else if (value instanceof BigInteger big) {
            return new Parameter(Types.NUMERIC, new BigDecimal(big));
        } else if (value instanceof Double) {
            return new Parameter(Types.DOUBLE, value);
        } else if (value instanceof Float) {
            return new Parameter(Types.REAL, value);
        } else if (value instanceof Short || value instanceof Byte) {
            return new Parameter(Types.SMALLINT, value.shortValue());
        }
        throw unknown(value);
    }

    private static Parameter dateOrRare(Object value) throws SQLException {
        if (value instanceof Timestamp timestamp) {
            return timestamp(timestamp, null);
        } else if (value instanceof Date date) {
            return date(date, null);
        } else if (value instanceof Time time) {
            return time(time, null);
        } else if (value instanceof java.util.Date date) {
            return timestamp(new Timestamp(date.getTime()), null);
        } else if (value instanceof Character character) {
            return new Parameter(Types.VARCHAR, character.toString());
        } else if (value instanceof byte[]) {
            return new Parameter(Types.BINARY, value);
        } else if (value instanceof UUID) {
            return new Parameter(Types.OTHER, value);
        } else if (value instanceof Array array) {
            return array(array);
        }
        return new Parameter(Types.NULL, wireValue(value));
    }

    static Parameter array(Array array) throws SQLException {
        JdbcArray own = array instanceof JdbcArray same
                ? same
                : new JdbcArray(array.getBaseTypeName(), java.util.Arrays.asList((Object[]) array.getArray()));
        return new Parameter(Types.ARRAY, own.toWire());
    }

    /** setObject with a type. */
    static Parameter object(@Nullable Object value, int sqlType) throws SQLException {
        if (value == null) {
            return new Parameter(sqlType, null);
        }
        Parameter byClass = object(value);
        boolean own = byClass.sqlType() == Types.ARRAY || value instanceof java.util.Date;
        return own || byClass.sqlType() == Types.NULL ? byClass : new Parameter(sqlType, byClass.value());
    }

    /** A value as the protocol has it. */
    static @Nullable Object wireValue(@Nullable Object value) throws SQLException {
        if (value == null
                || value instanceof String
                || value instanceof Boolean
                || value instanceof LocalDate
                || value instanceof LocalTime
                || value instanceof LocalDateTime
                || value instanceof OffsetDateTime
                || value instanceof OffsetTime
                || value instanceof byte[]
                || value instanceof UUID
                || value instanceof OtherValue) {
            return value;
        }
        if (value instanceof Instant instant) {
            return instant.atOffset(java.time.ZoneOffset.UTC);
        }
        if (value instanceof Number number) {
            return number(number).value();
        }
        if (value instanceof java.util.Date) {
            return dateOrRare(value).value();
        }
        throw unknown(value);
    }

    static String read(Reader reader, long length) throws SQLException {
        StringWriter text = new StringWriter();
        try {
            char[] buffer = new char[8_192];
            long left = length < 0 ? Long.MAX_VALUE : length;
            for (int n; left > 0 && (n = reader.read(buffer, 0, (int) Math.min(left, buffer.length))) > 0; left -= n) {
                text.write(buffer, 0, n);
            }
        } catch (IOException e) {
            throw new SQLException("the parameter's reader failed", SqlStates.WRONG_PARAMETER, e);
        }
        return text.toString();
    }

    static byte[] read(InputStream stream, long length) throws SQLException {
        try {
            return length < 0 ? stream.readAllBytes() : stream.readNBytes(Math.toIntExact(length));
        } catch (IOException e) {
            throw new SQLException("the parameter's stream failed", SqlStates.WRONG_PARAMETER, e);
        }
    }

    private static SQLException unknown(Object value) {
        return new SQLException(
                "Can't infer the SQL type to use for an instance of %s. Use setObject() with an explicit Types value to specify the type to use."
                        .formatted(value.getClass().getName()),
                SqlStates.WRONG_PARAMETER);
    }
}
