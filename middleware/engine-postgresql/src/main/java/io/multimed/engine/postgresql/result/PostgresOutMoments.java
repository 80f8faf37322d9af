// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.postgresql.connection.PostgresZones;
import java.sql.CallableStatement;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.temporal.Temporal;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.Objects;
import java.util.TimeZone;
import java.util.stream.Stream;
import org.postgresql.PGStatement;

/**
 * Converts dates and times that are OUT parameters. pgjdbc returns objects of java.sql in the zone of this machine, for
 * types with and without time zone. In java.time, the ends of the ranges represent the infinities, and the last
 * nanosecond of a day represents 24:00:00.
 */
final class PostgresOutMoments {
    private static final LocalDateTime DAYS_END = LocalDate.EPOCH.plusDays(1).atStartOfDay();

    private PostgresOutMoments() {}

    /**
     * Returns a value with an offset if its type has a time zone, unless the client uses the zone of this machine: then
     * the type is irrelevant, except that of a time that is none of the first day of 1970. Otherwise the engine is
     * asked for the type, in one round trip.
     */
    static Temporal of(CallableStatement executed, int ordinal, Date value, boolean sameZone) throws SQLException {
        boolean isDate = value instanceof java.sql.Date;
        boolean isInfinite = value.getTime() == PGStatement.DATE_POSITIVE_INFINITY
                || value.getTime() == PGStatement.DATE_NEGATIVE_INFINITY;
        if (isInfinite) {
            LocalDate end = value.getTime() > 0 ? LocalDate.MAX : LocalDate.MIN;
            return isDate ? end : end.atTime(value.getTime() > 0 ? LocalTime.MAX : LocalTime.MIN);
        } else if (isDate) {
            return local(value).toLocalDate();
        }
        boolean mayHaveZone = !sameZone || (value instanceof Time && !isLocalTime(local(value)));
        boolean hasZone =
                mayHaveZone && executed.getMetaData().getColumnTypeName(ordinal).endsWith("tz");
        if (value instanceof Time) {
            return hasZone ? zonedTime(executed, value) : time(value);
        }
        return timestamp((Timestamp) value, sameZone, hasZone);
    }

    private static Temporal timestamp(Timestamp value, boolean sameZone, boolean hasZone) throws SQLException {
        if (hasZone) {
            return instant(value).plusNanos(value.getNanos() % 1_000_000).atOffset(ZoneOffset.UTC);
        }
        LocalDateTime local = local(value).withNano(value.getNanos());
        if (!sameZone) {
            PostgresZones.checkUnshifted(value.toInstant(), local);
        }
        return local;
    }

    /** Returns whether a time is one of the first day of 1970, or the end of this day. */
    private static boolean isLocalTime(LocalDateTime value) {
        return value.toLocalDate().equals(LocalDate.EPOCH) || value.equals(DAYS_END);
    }

    /**
     * Returns a time with an offset in which the day is the first one of 1970, as of a column: the offset of the
     * session's zone if possible. The object of the driver does not tell the engine's.
     */
    private static OffsetTime zonedTime(CallableStatement executed, Date value) throws SQLException {
        OffsetDateTime moment = instant(value).atOffset(ZoneOffset.UTC);
        OffsetDateTime local =
                Objects.requireNonNullElse(PostgresZones.local(executed.getConnection(), moment), moment);
        return Stream.of(local, moment, at(moment, ZoneOffset.MIN), at(moment, ZoneOffset.MAX))
                .filter(each -> each.toLocalDate().equals(LocalDate.EPOCH))
                .findFirst()
                .orElse(moment)
                .toOffsetTime();
    }

    private static OffsetDateTime at(OffsetDateTime moment, ZoneOffset offset) {
        return moment.withOffsetSameInstant(offset);
    }

    private static Instant instant(Date value) {
        return Instant.ofEpochMilli(value.getTime());
    }

    private static LocalTime time(Date value) {
        LocalDateTime local = local(value);
        return local.equals(DAYS_END) ? LocalTime.MAX : local.toLocalTime();
    }

    /** Returns a date and time in the zone of this machine, with the calendar by which pgjdbc has read the text. */
    private static LocalDateTime local(Date value) {
        Calendar calendar = new GregorianCalendar(TimeZone.getDefault(), Locale.ROOT);
        calendar.setTime(value);
        int year = calendar.get(Calendar.YEAR);
        boolean isBeforeChrist = calendar.get(Calendar.ERA) == GregorianCalendar.BC;
        return LocalDateTime.of(
                isBeforeChrist ? 1 - year : year,
                calendar.get(Calendar.MONTH) + 1,
                calendar.get(Calendar.DAY_OF_MONTH),
                calendar.get(Calendar.HOUR_OF_DAY),
                calendar.get(Calendar.MINUTE),
                calendar.get(Calendar.SECOND),
                calendar.get(Calendar.MILLISECOND) * 1_000_000);
    }
}
