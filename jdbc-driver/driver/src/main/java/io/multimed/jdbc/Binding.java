package io.multimed.jdbc;

import io.multimed.protocol.OtherValue;
import io.multimed.protocol.Parameter;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.SQLXML;
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

    static Parameter timestamp(@Nullable Timestamp value) {
        return value == null ? new Parameter(Types.TIMESTAMP, null) : timestamp(value, null);
    }

    static Parameter date(@Nullable Date value) {
        return value == null ? new Parameter(Types.DATE, null) : date(value, null);
    }

    static Parameter time(@Nullable Time value) {
        return value == null ? new Parameter(Types.TIME, null) : time(value, null);
    }

    static Parameter blob(@Nullable Blob value) throws SQLException {
        return value == null
                ? new Parameter(Types.BINARY, null)
                : Streams.bytes(value.getBinaryStream(), value.length());
    }

    static Parameter clob(@Nullable Clob value) throws SQLException {
        return value == null
                ? new Parameter(Types.VARCHAR, null)
                : Streams.text(value.getCharacterStream(), value.length());
    }

    static Parameter xml(@Nullable SQLXML value) throws SQLException {
        return value == null
                ? new Parameter(Types.SQLXML, null)
                : new Parameter(Types.OTHER, new OtherValue("xml", value.getString()));
    }

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
        }
        return large(value);
    }

    private static Parameter large(Object value) throws SQLException {
        if (value instanceof Array array) {
            return array(array);
        } else if (value instanceof Blob blob) {
            return blob(blob);
        } else if (value instanceof Clob clob) {
            return clob(clob);
        } else if (value instanceof SQLXML xml) {
            return xml(xml);
        } else if (value instanceof InputStream stream) {
            return Streams.bytes(stream, -1);
        } else if (value instanceof Reader reader) {
            return Streams.text(reader, -1);
        } else if (value.getClass().isArray()) {
            return JdbcArray.ofJava(value);
        }
        return new Parameter(Types.NULL, wireValue(value));
    }

    static Parameter array(@Nullable Array array) throws SQLException {
        if (array == null) {
            return new Parameter(Types.ARRAY, null);
        }
        JdbcArray own = array instanceof JdbcArray same
                ? same
                : new JdbcArray(null, array.getBaseTypeName(), java.util.Arrays.asList((Object[]) array.getArray()));
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

    /** setObject with a type and, for decimal numbers, the digits after the point. */
    static Parameter object(@Nullable Object value, int sqlType, int scale) throws SQLException {
        Parameter plain = object(value, sqlType);
        boolean decimal = sqlType == Types.NUMERIC || sqlType == Types.DECIMAL;
        return decimal && scale >= 0 && plain.value() instanceof BigDecimal number
                ? new Parameter(sqlType, number.setScale(scale, RoundingMode.HALF_UP))
                : plain;
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

    private static SQLException unknown(Object value) {
        return new SQLException(
                "Can't infer the SQL type to use for an instance of %s. Use setObject() with an explicit Types value to specify the type to use."
                        .formatted(value.getClass().getName()),
                SqlStates.WRONG_PARAMETER);
    }
}
