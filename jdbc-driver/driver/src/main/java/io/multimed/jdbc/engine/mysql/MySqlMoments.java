// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.mysql.MySqlTarget.Kind;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.protocol.value.Parameter;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Creates parameters from objects that stand for a moment, in the time zone of the client: the engine's own driver runs
 * in the client there, and in the middleware here. The engine has no type with a time zone. As in Connector/J, the
 * offsets of the zone are those of java.time for objects of java.time, and those of java.util, which differ before
 * 1900, for others. For a calendar, they are those of java.time in a time of day and in a text.
 */
final class MySqlMoments {
    private MySqlMoments() {}

    /** Returns the parameter for setObject without a type; null for values of other classes. */
    static @Nullable Parameter parameter(Object value) throws SQLException {
        if (value instanceof Date || value instanceof Time) {
            return null;
        }
        return parameter(
                value, value instanceof OffsetTime || value instanceof Duration ? Types.TIME : Types.TIMESTAMP);
    }

    /**
     * Returns the parameter for setObject with a type; null for values of other classes.
     *
     * @throws SQLException S1009 if the value cannot be converted to the type, S1C00 for types that Connector/J refuses
     * even without a value
     */
    static @Nullable Parameter parameter(@Nullable Object value, int sqlType) throws SQLException {
        MySqlTarget target = MySqlTarget.of(sqlType);
        if (target.kind() == Kind.NOT_AVAILABLE) {
            throw new SQLFeatureNotSupportedException(
                    "Unsupported SQL type: " + target.name(), SqlStates.DRIVER_NOT_CAPABLE);
        } else if (value instanceof java.util.Date date) {
            return ofDate(date, target);
        } else if (value instanceof Calendar calendar) {
            return ofCalendar(calendar, target);
        } else if (value instanceof OffsetTime || value instanceof Duration) {
            return ofTime(value, target);
        }
        ZonedDateTime moment = value == null ? null : zoned(value);
        return value == null || moment == null ? null : ofMoment(value, moment, target);
    }

    /** Returns an object of java.time with a date and an offset, in its own zone; null for other objects. */
    private static @Nullable ZonedDateTime zoned(Object value) {
        if (value instanceof OffsetDateTime moment) {
            return moment.toZonedDateTime();
        } else if (value instanceof Instant moment) {
            return moment.atZone(ZoneOffset.UTC);
        }
        return value instanceof ZonedDateTime moment ? moment : null;
    }

    private static Parameter ofMoment(Object value, ZonedDateTime moment, MySqlTarget target) throws SQLException {
        ZonedDateTime local = moment.withZoneSameInstant(ZoneId.systemDefault());
        return switch (target.kind()) {
            case DATE -> new Parameter(Types.NULL, local.toLocalDate());
            case TIME -> new Parameter(Types.NULL, local.toLocalTime());
            case TEXT -> text(MySqlMomentTexts.of(moment.toOffsetDateTime()));
            case TIMESTAMP, OBJECT -> ParameterFactory.timestamp(Timestamp.valueOf(local.toLocalDateTime()));
            default -> throw unsupported(value, target);
        };
    }

    private static Parameter ofCalendar(Calendar value, MySqlTarget target) throws SQLException {
        ZonedDateTime local = value.toInstant().atZone(ZoneId.systemDefault());
        return switch (target.kind()) {
            case DATE -> ParameterFactory.date(new Date(value.getTimeInMillis()));
            case TIME -> new Parameter(Types.NULL, local.toLocalTime());
            case TEXT -> text(MySqlMomentTexts.of(local.toLocalDateTime()));
            case TIMESTAMP, OBJECT -> ParameterFactory.timestamp(new Timestamp(value.getTimeInMillis()));
            default -> throw unsupported(value, target);
        };
    }

    private static Parameter ofDate(java.util.Date value, MySqlTarget target) throws SQLException {
        return switch (target.kind()) {
            case DATE -> ParameterFactory.date(new Date(value.getTime()));
            case TIME -> timeOf(value, target);
            case TEXT -> text(MySqlMomentTexts.of(value));
            case TIMESTAMP -> ParameterFactory.timestamp(timestamp(value));
            case OBJECT ->
                value instanceof Date || value instanceof Time
                        ? ParameterFactory.object(value)
                        : ParameterFactory.timestamp(timestamp(value));
            default -> throw unsupported(value, target);
        };
    }

    private static Timestamp timestamp(java.util.Date value) {
        if (value instanceof Timestamp timestamp) {
            return timestamp;
        }
        return new Timestamp(value instanceof Date ? Math.floorDiv(value.getTime(), 1_000L) * 1_000 : value.getTime());
    }

    private static Parameter timeOf(java.util.Date value, MySqlTarget target) throws SQLException {
        if (value instanceof Date) {
            throw unsupported(value, target);
        }
        return value instanceof Time time
                ? ParameterFactory.time(time)
                : new Parameter(Types.NULL, timestamp(value).toLocalDateTime().toLocalTime());
    }

    private static Parameter ofTime(Object value, MySqlTarget target) throws SQLException {
        return switch (target.kind()) {
            case TIME, OBJECT ->
                value instanceof OffsetTime time
                        ? new Parameter(Types.NULL, local(time))
                        : text(MySqlMomentTexts.of(MySqlMomentTexts.micros((Duration) value)));
            case TEXT ->
                text(
                        value instanceof OffsetTime time
                                ? MySqlMomentTexts.of(time)
                                : MySqlMomentTexts.of((Duration) value));
            default -> throw unsupported(value, target);
        };
    }

    private static Parameter text(String text) {
        return new Parameter(Types.VARCHAR, text);
    }

    private static SQLException unsupported(Object value, MySqlTarget target) {
        return new SQLException(
                "Conversion from %s to %s is not supported."
                        .formatted(value.getClass().getName(), target.name()),
                SqlStates.ILLEGAL_ARGUMENT);
    }

    /** Returns the time of day in the client's standard time, because a time without a day has no summer time. */
    private static LocalTime local(OffsetTime time) {
        return time.withOffsetSameInstant(standardOffset()).toLocalTime();
    }

    /** Returns the offset of the client's time zone without summer time. */
    static ZoneOffset standardOffset() {
        return ZoneOffset.ofTotalSeconds(TimeZone.getDefault().getRawOffset() / 1_000);
    }
}
