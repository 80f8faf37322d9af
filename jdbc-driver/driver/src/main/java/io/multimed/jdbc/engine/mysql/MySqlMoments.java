// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.protocol.value.Parameter;
import java.sql.Date;
import java.sql.JDBCType;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.TemporalAccessor;
import java.util.Calendar;
import java.util.Locale;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Creates parameters from objects that stand for a moment, in the time zone of the client: the engine's own driver runs
 * in the client there, and in the middleware here. The engine has no type with a time zone.
 */
final class MySqlMoments {
    private static final DateTimeFormatter WITH_OFFSET = withOffset("yyyy-MM-dd HH:mm:ss");
    private static final DateTimeFormatter NANOS_WITH_OFFSET = withOffset("yyyy-MM-dd HH:mm:ss.SSSSSSSSS");
    private static final DateTimeFormatter TIME_WITH_OFFSET = withOffset("HH:mm:ss");
    private static final DateTimeFormatter TIME_NANOS_WITH_OFFSET = withOffset("HH:mm:ss.SSSSSSSSS");

    private static final DateTimeFormatter LOCAL_TIME = new DateTimeFormatterBuilder()
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter(Locale.ROOT);

    private MySqlMoments() {}

    /** Returns a format that appends the offset from UTC, as in {@code +02:00}, or {@code Z}. */
    private static DateTimeFormatter withOffset(String pattern) {
        return new DateTimeFormatterBuilder()
                .appendPattern(pattern)
                .appendOffset("+HH:MM", "Z")
                .toFormatter(Locale.ROOT);
    }

    /** Returns the moment of a date, a calendar or an object of java.time; null if the value is none of these. */
    static @Nullable Timestamp timestamp(Object value) {
        if (value instanceof OffsetDateTime moment) {
            return Timestamp.from(moment.toInstant());
        } else if (value instanceof ZonedDateTime moment) {
            return Timestamp.from(moment.toInstant());
        } else if (value instanceof Instant moment) {
            return Timestamp.from(moment);
        } else if (value instanceof Calendar calendar) {
            return new Timestamp(calendar.getTimeInMillis());
        } else if (value instanceof Timestamp timestamp) {
            return timestamp;
        }
        return value instanceof java.util.Date date ? new Timestamp(date.getTime()) : null;
    }

    /** Returns the parameter for setObject without a type; null for values of other classes. */
    static @Nullable Parameter parameter(Object value) throws SQLException {
        if (value instanceof OffsetTime time) {
            return new Parameter(Types.NULL, local(time));
        } else if (value instanceof Duration duration) {
            return new Parameter(Types.VARCHAR, text(duration));
        } else if (value instanceof Date || value instanceof Time || value instanceof Timestamp) {
            return null;
        }
        Timestamp moment = timestamp(value);
        return moment == null ? null : ParameterFactory.timestamp(moment);
    }

    /**
     * Returns the parameter for setObject with a type; null for values of other classes.
     *
     * @throws SQLException S1009 if the value cannot be converted to the type, S1C00 for types with a time zone, which
     * Connector/J refuses even without a value
     */
    static @Nullable Parameter parameter(@Nullable Object value, int sqlType) throws SQLException {
        if (sqlType == Types.TIME_WITH_TIMEZONE || sqlType == Types.TIMESTAMP_WITH_TIMEZONE) {
            throw new SQLFeatureNotSupportedException(
                    "Unsupported SQL type: " + JDBCType.valueOf(sqlType), SqlStates.DRIVER_NOT_CAPABLE);
        } else if (value instanceof java.util.Date date) {
            return ofDate(date, sqlType);
        } else if (value instanceof OffsetTime || value instanceof Duration) {
            return ofTime(value, sqlType);
        }
        Timestamp moment = value == null ? null : timestamp(value);
        return value == null || moment == null ? null : ofMoment(value, moment, sqlType);
    }

    private static Parameter ofMoment(Object value, Timestamp moment, int sqlType) throws SQLException {
        return switch (sqlType) {
            case Types.DATE ->
                new Parameter(Types.NULL, moment.toLocalDateTime().toLocalDate());
            case Types.TIME ->
                new Parameter(Types.NULL, moment.toLocalDateTime().toLocalTime());
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR -> new Parameter(Types.VARCHAR, text(value, moment));
            default -> ParameterFactory.timestamp(moment);
        };
    }

    /** Returns the parameter for a date of java.util. Connector/J refuses numeric types. */
    private static Parameter ofDate(java.util.Date value, int sqlType) throws SQLException {
        return switch (sqlType) {
            case Types.TIME -> timeOf(value);
            case Types.TIMESTAMP ->
                ParameterFactory.timestamp(
                        value instanceof Date
                                ? new Timestamp(Math.floorDiv(value.getTime(), 1_000L) * 1_000)
                                : timestamp(value));
            case Types.DATE -> ParameterFactory.date(new Date(value.getTime()));
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR -> new Parameter(Types.VARCHAR, text(value));
            case Types.INTEGER,
                    Types.BIGINT,
                    Types.SMALLINT,
                    Types.TINYINT,
                    Types.DECIMAL,
                    Types.NUMERIC,
                    Types.DOUBLE,
                    Types.FLOAT,
                    Types.REAL,
                    Types.BOOLEAN,
                    Types.BIT -> throw unsupported(value, name(sqlType));
            default -> {
                Parameter moment = parameter(value);
                yield moment == null ? ParameterFactory.object(value) : moment;
            }
        };
    }

    private static Parameter timeOf(java.util.Date value) throws SQLException {
        if (value instanceof Date) {
            throw unsupported(value, "TIME");
        }
        return value instanceof Timestamp timestamp
                ? new Parameter(Types.NULL, timestamp.toLocalDateTime().toLocalTime())
                : ParameterFactory.time(new Time(value.getTime()));
    }

    private static SQLException unsupported(Object value, String type) {
        return new SQLException(
                "Conversion from %s to %s is not supported."
                        .formatted(value.getClass().getName(), type),
                SqlStates.ILLEGAL_ARGUMENT);
    }

    private static String name(int sqlType) {
        return switch (sqlType) {
            case Types.INTEGER -> "INT";
            case Types.BIGINT -> "BIGINT";
            case Types.SMALLINT -> "SMALLINT";
            case Types.TINYINT -> "TINYINT";
            case Types.DECIMAL, Types.NUMERIC -> "DECIMAL";
            case Types.BOOLEAN -> "BOOLEAN";
            case Types.BIT -> "BIT";
            case Types.REAL -> "FLOAT";
            default -> "DOUBLE";
        };
    }

    /** Returns the text of a date, a time or a timestamp without a time zone. */
    private static String text(java.util.Date value) {
        if (value instanceof Date) {
            return value.toString();
        }
        LocalDateTime moment =
                (value instanceof Timestamp timestamp ? timestamp : new Timestamp(value.getTime())).toLocalDateTime();
        return value instanceof Time ? LOCAL_TIME.format(moment) : MySqlBehavior.DATE_TIME.format(moment);
    }

    private static Parameter ofTime(Object value, int sqlType) throws SQLException {
        return switch (sqlType) {
            case Types.DATE, Types.TIMESTAMP -> throw unsupported(value, sqlType == Types.DATE ? "DATE" : "TIMESTAMP");
            case Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR ->
                new Parameter(
                        Types.VARCHAR,
                        value instanceof OffsetTime time
                                ? format(time, TIME_WITH_OFFSET, TIME_NANOS_WITH_OFFSET)
                                : text((Duration) value));
            default ->
                value instanceof OffsetTime time
                        ? new Parameter(Types.NULL, local(time))
                        : new Parameter(Types.VARCHAR, text((Duration) value));
        };
    }

    /** Texts contain the offset of the value, if the value has one. */
    private static String text(Object value, Timestamp moment) {
        if (value instanceof Calendar) {
            return text(moment);
        }
        TemporalAccessor written =
                value instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : (TemporalAccessor) value;
        return format(written, WITH_OFFSET, NANOS_WITH_OFFSET);
    }

    private static String format(TemporalAccessor value, DateTimeFormatter plain, DateTimeFormatter nanos) {
        return (value.get(ChronoField.NANO_OF_SECOND) == 0 ? plain : nanos).format(value);
    }

    /** Returns the time of day in the client's standard time, because a time without a day has no summer time. */
    private static LocalTime local(OffsetTime time) {
        return time.withOffsetSameInstant(standardOffset()).toLocalTime();
    }

    /** Returns the offset of the client's time zone without summer time. */
    static ZoneOffset standardOffset() {
        return ZoneOffset.ofTotalSeconds(TimeZone.getDefault().getRawOffset() / 1_000);
    }

    /** Returns the text of a value of the engine's type TIME. */
    private static String text(Duration duration) {
        Duration absolute = duration.abs();
        String text = "%s%d:%02d:%02d"
                .formatted(
                        duration.isNegative() ? "-" : "",
                        absolute.toHours(),
                        absolute.toMinutesPart(),
                        absolute.toSecondsPart());
        int nanos = absolute.toNanosPart();
        return nanos == 0 ? text : text + ".%09d".formatted(nanos).replaceAll("0+$", "");
    }
}
