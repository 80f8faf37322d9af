// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;

/**
 * Converts values into dates and times of java.sql, in the calendar of these classes, which is Julian before 1582. The
 * infinities become the two extreme moments that the engine's own driver defines. If there is no calendar, the client's
 * time zone applies. These rules are those of the engine's own driver.
 */
public final class DateTimeConversion {
    static final long INFINITY = 9_223_372_036_825_200_000L;
    static final long MINUS_INFINITY = -9_223_372_036_832_400_000L;

    /** The length up to which a text is a date or a time, but not both. */
    private static final int MAX_DATE_LENGTH = 13;

    /** The first year in which java.time and java.sql have the same calendar. */
    private static final int FIRST_GREGORIAN_YEAR = 1583;

    private DateTimeConversion() {}

    private static TimeZone zone(@Nullable Calendar calendar) {
        return calendar == null ? TimeZone.getDefault() : calendar.getTimeZone();
    }

    /**
     * Returns a timestamp.
     *
     * @param calendar whose zone applies to values without an offset; null for the client's zone
     * @throws SQLException 22007 if the value is a text that is no date or time
     */
    public static @Nullable Timestamp toTimestamp(@Nullable Object value, @Nullable Calendar calendar)
            throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof OffsetDateTime instant && isPlain(instant.getYear())) {
            return Timestamp.from(instant.toInstant());
        } else if (calendar == null && value instanceof LocalDateTime local && isPlain(local.getYear())) {
            return Timestamp.valueOf(local);
        }
        String text = TextFormat.of(value);
        Long infinity = infinity(text);
        if (infinity != null) {
            return new Timestamp(infinity);
        }
        ParsedDateTime moment = ParsedDateTime.parse(text);
        boolean isTime = value instanceof LocalTime || value instanceof OffsetTime;
        Timestamp timestamp = new Timestamp(
                isTime
                        ? time(moment, calendar).getTime()
                        : moment.in(zone(calendar)).getTimeInMillis());
        timestamp.setNanos(moment.nanos());
        return timestamp;
    }

    /** Returns whether java.time and java.sql have the same calendar in a year, and the year has four digits. */
    private static boolean isPlain(int year) {
        return year >= FIRST_GREGORIAN_YEAR && year <= 9999;
    }

    private static @Nullable Long infinity(String text) {
        return switch (text) {
            case TextFormat.INFINITY -> INFINITY;
            case TextFormat.MINUS_INFINITY -> MINUS_INFINITY;
            default -> null;
        };
    }

    /**
     * Returns a date: midnight of the day in the calendar's zone.
     *
     * @throws SQLException 22007 if the value is a text that is no date
     */
    public static @Nullable Date toDate(@Nullable Object value, @Nullable Calendar calendar) throws SQLException {
        if (value == null) {
            return null;
        }
        if (calendar == null && value instanceof LocalDate date && isPlain(date.getYear())) {
            return Date.valueOf(date);
        }
        String text = TextFormat.of(value);
        Long infinity = infinity(text);
        if (infinity != null) {
            return new Date(infinity);
        }
        ParsedDateTime moment =
                text.length() > MAX_DATE_LENGTH ? ParsedDateTime.parse(text) : ParsedDateTime.parseDate(text);
        Calendar day = new GregorianCalendar(zone(calendar));
        day.setTimeInMillis(moment.in(zone(calendar)).getTimeInMillis());
        day.set(Calendar.HOUR_OF_DAY, 0);
        day.set(Calendar.MINUTE, 0);
        day.set(Calendar.SECOND, 0);
        day.set(Calendar.MILLISECOND, 0);
        return new Date(day.getTimeInMillis());
    }

    /**
     * Returns a time on the first day of 1970.
     *
     * @throws SQLException 22007 if the value is a text that is no time
     */
    public static @Nullable Time toTime(@Nullable Object value, @Nullable Calendar calendar) throws SQLException {
        return value == null ? null : time(ParsedDateTime.parse(TextFormat.of(value)), calendar);
    }

    /**
     * Returns a time on the first day of 1970: in the offset of the value if the value has an offset, otherwise in the
     * calendar's zone.
     */
    private static Time time(ParsedDateTime moment, @Nullable Calendar calendar) {
        Calendar day = moment.offset() == null
                ? moment.in(zone(calendar))
                : moment.onFirstDay().in(zone(calendar));
        long millis = day.getTimeInMillis() + moment.nanos() / 1_000_000;
        if (moment.offset() != null || (moment.year() == 1970 && !moment.beforeChrist())) {
            return new Time(millis);
        }
        Calendar time = new GregorianCalendar(day.getTimeZone());
        time.setTimeInMillis(millis);
        time.set(Calendar.ERA, GregorianCalendar.AD);
        time.set(1970, Calendar.JANUARY, 1);
        return new Time(time.getTimeInMillis());
    }

    /** Returns the object of java.sql that getObject returns for a date or time. */
    static Object toObject(Object value) throws SQLException {
        Object converted;
        if (value instanceof LocalDate) {
            converted = toDate(value, null);
        } else if (value instanceof LocalTime || value instanceof OffsetTime) {
            converted = toTime(value, null);
        } else {
            converted = toTimestamp(value, null);
        }
        return java.util.Objects.requireNonNull(converted);
    }

    /**
     * Returns an object of java.time.
     *
     * @return null if the engine's own driver does not convert such a value to this class
     * @throws DateTimeException for 24:00:00 as a date and time
     */
    public static @Nullable Object toClass(Object value, Class<?> type) {
        if (type == OffsetDateTime.class) {
            return offsetDateTime(value);
        } else if (type == LocalDate.class && value instanceof LocalDateTime local) {
            return local.toLocalDate();
        } else if (type == OffsetTime.class && value instanceof OffsetTime time && isDaysEnd(time)) {
            return OffsetTime.MAX; // the engine's own driver returns 24:00:00 without its offset
        }
        return type.isInstance(value) ? value : null;
    }

    private static boolean isDaysEnd(OffsetTime time) {
        return time.toLocalTime().equals(LocalTime.MAX);
    }

    private static @Nullable OffsetDateTime offsetDateTime(Object value) {
        if (value instanceof OffsetDateTime instant) {
            return TextFormat.infinite(instant.toLocalDate()) ? instant : instant.withOffsetSameInstant(ZoneOffset.UTC);
        } else if (value instanceof LocalDateTime local) {
            return infiniteOr(local);
        }
        return value instanceof OffsetTime time ? onFirstDay(time) : null;
    }

    /**
     * Returns a time on the first day of 1970.
     *
     * @throws DateTimeException for 24:00:00, as by the engine's own driver
     */
    private static OffsetDateTime onFirstDay(OffsetTime time) {
        if (isDaysEnd(time)) {
            throw new DateTimeException("Invalid value for HourOfDay (valid values 0 - 23): 24");
        }
        return time.atDate(LocalDate.EPOCH);
    }

    private static OffsetDateTime infiniteOr(LocalDateTime local) {
        if (local.equals(LocalDateTime.MAX)) {
            return OffsetDateTime.MAX;
        }
        return local.equals(LocalDateTime.MIN) ? OffsetDateTime.MIN : local.atOffset(ZoneOffset.UTC);
    }
}
