// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Column;
import java.math.BigDecimal;
import java.sql.Date;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.Locale;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Converts dates, times and timestamps. The protocol carries them as the engine's texts, because zero dates and
 * durations (TIME values beyond a day) have no class in java.time.
 */
final class MySqlTemporals {
    private static final LocalDate EPOCH = LocalDate.EPOCH;
    private static final Pattern ZERO_DATE = Pattern.compile("0000-00-00.*");
    private static final Pattern DATE = Pattern.compile("\\d{4}-\\d{1,2}-\\d{1,2}");
    private static final Pattern MOMENT =
            Pattern.compile("\\d{4}-\\d{1,2}-\\d{1,2} \\d{1,2}:\\d{1,2}:\\d{1,2}(\\.\\d{0,9})?");
    private static final Pattern TIME = Pattern.compile("-?\\d{1,3}:\\d{1,2}:\\d{1,2}(\\.\\d{0,9})?");

    /** Finds texts that may have an offset or a time zone, so that only these are parsed. */
    private static final Pattern ZONED =
            Pattern.compile("[^:]+:\\d\\d[:.\\d]*([Zz]|[+-]\\d\\d(:?\\d\\d){0,2})(\\[.*])?");

    private static final Pattern DURATION = Pattern.compile("(-?)(\\d{1,3}):(\\d{1,2}):(\\d{1,2})(?:\\.(\\d{0,9}))?");

    private MySqlTemporals() {}

    static boolean isTemporal(Column column) {
        return column.sqlType() == Types.DATE || column.sqlType() == Types.TIME || column.sqlType() == Types.TIMESTAMP;
    }

    /** Returns the name of the column's type for messages. */
    static String kind(Column column) {
        return column.typeName();
    }

    static boolean isYear(Column column) {
        return column.typeName().equals("YEAR");
    }

    /**
     * The part of a timestamp that a conversion needs. Of a value whose other part is zero, this part can be converted.
     */
    enum Part {
        DAY,
        TIME_OF_DAY,
        BOTH
    }

    /** Returns a date and a time of day. A missing date becomes the first day of 1970, a missing time midnight. */
    static LocalDateTime moment(Object value, Column column, Part part, String target) throws SQLException {
        return isYear(column)
                ? LocalDate.of(year(value), 1, 1).atStartOfDay()
                : parse(text(value, column, target), column, part, target);
    }

    /** Returns the text of a value that is no number; the empty text counts as the number zero. */
    private static String text(Object value, Column column, String target) throws SQLException {
        if (value instanceof Number || MySqlNumbers.isReal(column) || column.sqlType() == Types.BIT) {
            throw MySqlNumbers.unsupported(numberKind(value, column), target);
        }
        String text = text(value);
        if (text.isEmpty()) {
            throw MySqlNumbers.unsupported("LONG", target);
        }
        return text;
    }

    /** Returns whether a text has no date. */
    static boolean isTimeOfDay(Object value) {
        return TIME.matcher(text(value)).matches();
    }

    /** Returns a year. A year of two digits is one from 1970 to 2069, and the engine's year zero stands for 2000. */
    static int year(Object value) {
        int year = ((Number) value).intValue();
        if (year >= 100) {
            return year;
        }
        return year < 70 ? 2000 + year : 1900 + year;
    }

    /** Returns the name of a number's type in messages about dates and times. */
    private static String numberKind(Object value, Column column) {
        if (column.sqlType() == Types.DECIMAL || column.sqlType() == Types.NUMERIC) {
            return "DECIMAL";
        } else if (value instanceof BigDecimal large && large.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            return "BIGINT";
        } else if (column.sqlType() == Types.BIT && value instanceof byte[]) {
            return "BIT";
        }
        return MySqlNumbers.isReal(column) ? "DOUBLE" : "LONG";
    }

    /**
     * Parses a date, a time, or both.
     *
     * @throws SQLException S1009 for the date zero, and for an invalid value of a temporal column; 22018 for another
     *     text
     */
    private static LocalDateTime parse(String text, Column column, Part part, String target) throws SQLException {
        if (ZERO_DATE.matcher(text).matches()) {
            if (part == Part.TIME_OF_DAY) {
                return (text.length() > 11 ? LocalTime.parse(text.substring(11)) : LocalTime.MIDNIGHT).atDate(EPOCH);
            }
            throw new SQLException("Zero date value prohibited", SqlStates.ILLEGAL_ARGUMENT);
        }
        try {
            boolean isTime = TIME.matcher(text).matches();
            if (!isTime && !hasDate(text) && !isTemporal(column)) {
                throw inconvertible(text, target);
            } else if (isTime) {
                return part == Part.DAY ? EPOCH.atStartOfDay() : wallClock(text).atDate(EPOCH);
            }
            return DATE.matcher(text).matches()
                    ? LocalDate.parse(text).atStartOfDay()
                    : LocalDateTime.parse(text.replace(' ', 'T'));
        } catch (DateTimeException e) {
            SQLException failure = isTemporal(column)
                    ? new SQLException(String.valueOf(e.getMessage()), SqlStates.ILLEGAL_ARGUMENT)
                    : inconvertible(text, target);
            failure.initCause(e);
            throw failure;
        }
    }

    /**
     * Parses a time of day.
     *
     * @throws SQLException S1009 for a duration, which is negative or longer than a day
     */
    private static LocalTime wallClock(String text) throws SQLException {
        try {
            return LocalTime.parse(text);
        } catch (DateTimeException e) {
            throw new SQLException(
                    "The value '%s' is an invalid TIME value. JDBC Time objects represent a wall-clock time and not a duration as MySQL treats them. If you are treating this type as a duration, consider retrieving this value as a string and dealing with it according to your requirements."
                            .formatted(text),
                    SqlStates.ILLEGAL_ARGUMENT,
                    e);
        }
    }

    /** Returns the object of a text with an offset or a time zone; null for other texts and classes. */
    static @Nullable Object zoned(Object value, Class<?> type) {
        String text = text(value);
        if (!ZONED.matcher(text).matches()) {
            return null;
        }
        String iso = text.replace(' ', 'T');
        try {
            if (type == OffsetDateTime.class) {
                return OffsetDateTime.parse(iso);
            } else if (type == ZonedDateTime.class) {
                return ZonedDateTime.parse(iso);
            }
            return type == OffsetTime.class ? OffsetTime.parse(iso) : null;
        } catch (DateTimeException e) {
            return null;
        }
    }

    private static String text(Object value) {
        return value instanceof byte[] bytes ? new String(bytes, ISO_8859_1) : value.toString();
    }

    /**
     * Returns the duration of a value of the engine's type TIME, or of its text.
     *
     * @throws SQLException 22018 for other values
     */
    static Duration duration(Object value, Column column) throws SQLException {
        String target = Duration.class.getName();
        if (isYear(column)) {
            throw MySqlNumbers.unsupported("DATE", target);
        }
        String text = text(value, column, target);
        Matcher parts = DURATION.matcher(text);
        if (!parts.matches()) {
            throw hasDate(text)
                    ? MySqlNumbers.unsupported(kindOfDate(text, column), target)
                    : inconvertible(text, target);
        }
        String nanos = parts.group(5) == null ? "" : parts.group(5);
        Duration duration = Duration.ofHours(Long.parseLong(parts.group(2)))
                .plusMinutes(Long.parseLong(parts.group(3)))
                .plusSeconds(Long.parseLong(parts.group(4)))
                .plusNanos(Long.parseLong((nanos + "000000000").substring(0, 9)));
        return parts.group(1).isEmpty() ? duration : duration.negated();
    }

    private static boolean hasDate(String text) {
        return DATE.matcher(text).matches() || MOMENT.matcher(text).matches();
    }

    /** Returns the name of the type of a date in messages. */
    private static String kindOfDate(String text, Column column) {
        if (isTemporal(column)) {
            return kind(column);
        }
        return DATE.matcher(text).matches() ? "DATE" : "TIMESTAMP";
    }

    private static SQLException inconvertible(String text, String target) {
        return new SQLDataException(
                "Cannot convert string '%s' to %s value".formatted(text, target), SqlStates.INVALID_CHARACTER_VALUE);
    }

    /** Returns a date. Without a calendar, refuses a date that the time zone skipped. */
    static Date date(LocalDateTime moment, @Nullable Calendar calendar) throws SQLException {
        Calendar day = cleared(calendar, calendar != null);
        day.set(moment.getYear(), moment.getMonthValue() - 1, moment.getDayOfMonth());
        return new Date(millis(day));
    }

    static Time time(LocalDateTime moment, @Nullable Calendar calendar) throws SQLException {
        Calendar time = cleared(calendar, true);
        set(time, moment.toLocalTime().atDate(EPOCH));
        return new Time(millis(time) + moment.getNano() / 1_000_000);
    }

    /**
     * Returns a timestamp. Without a calendar, refuses a time that was skipped when the clock was put forward; with a
     * calendar, such a time is moved forward.
     */
    static Timestamp timestamp(LocalDateTime moment, @Nullable Calendar calendar) throws SQLException {
        Calendar time = cleared(calendar, calendar != null);
        set(time, moment);
        Timestamp timestamp = new Timestamp(millis(time));
        timestamp.setNanos(moment.getNano());
        return timestamp;
    }

    /**
     * Returns a calendar with java.util's offsets, as in the engine's own driver: java.time has different offsets
     * before 1900.
     */
    private static Calendar cleared(@Nullable Calendar calendar, boolean lenient) {
        Calendar cleared =
                new GregorianCalendar(calendar == null ? TimeZone.getDefault() : calendar.getTimeZone(), Locale.ROOT);
        cleared.clear();
        cleared.setLenient(lenient);
        return cleared;
    }

    private static void set(Calendar calendar, LocalDateTime moment) {
        calendar.set(
                moment.getYear(),
                moment.getMonthValue() - 1,
                moment.getDayOfMonth(),
                moment.getHour(),
                moment.getMinute(),
                moment.getSecond());
    }

    /**
     * Returns the milliseconds of a calendar.
     *
     * @throws SQLException S1009 if the calendar is not lenient and the time does not exist
     */
    private static long millis(Calendar moment) throws SQLException {
        try {
            return moment.getTimeInMillis();
        } catch (IllegalArgumentException e) {
            throw new SQLException(String.valueOf(e.getMessage()), SqlStates.ILLEGAL_ARGUMENT, e);
        }
    }
}
