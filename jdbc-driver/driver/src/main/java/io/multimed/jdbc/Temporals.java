package io.multimed.jdbc;

import java.sql.Date;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/** Dates and times between java.time, java.sql and text, in the calendar's zone or the client's own. */
final class Temporals {
    private static final DateTimeFormatter TIME_FORM = new DateTimeFormatterBuilder()
            .appendPattern("HH:mm:ss")
            .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
            .toFormatter(java.util.Locale.ROOT);

    private static final DateTimeFormatter OFFSET_FORM =
            new DateTimeFormatterBuilder().appendOffset("+HH:mm", "+00").toFormatter(java.util.Locale.ROOT);

    private Temporals() {}

    private static ZoneId zone(@Nullable Calendar calendar) {
        return calendar == null
                ? ZoneId.systemDefault()
                : calendar.getTimeZone().toZoneId();
    }

    static @Nullable Timestamp toTimestamp(@Nullable Object value, @Nullable Calendar calendar) throws SQLException {
        if (value == null) {
            return null;
        }
        ZoneId zone = zone(calendar);
        if (value instanceof LocalDateTime local) {
            return calendar == null
                    ? Timestamp.valueOf(local)
                    : Timestamp.from(local.atZone(zone).toInstant());
        } else if (value instanceof OffsetDateTime instant) {
            return Timestamp.from(instant.toInstant());
        } else if (value instanceof LocalDate date) {
            return Timestamp.from(date.atStartOfDay(zone).toInstant());
        } else if (value instanceof LocalTime time) {
            return Timestamp.from(time.atDate(LocalDate.EPOCH).atZone(zone).toInstant());
        } else if (value instanceof OffsetTime time) {
            return Timestamp.from(time.atDate(LocalDate.EPOCH).toInstant());
        }
        return Timestamp.from(parse(value).atZone(zone).toInstant());
    }

    static @Nullable Date toDate(@Nullable Object value, @Nullable Calendar calendar) throws SQLException {
        if (value instanceof LocalDate date && calendar == null) {
            return Date.valueOf(date);
        }
        Timestamp timestamp = toTimestamp(value, calendar);
        if (timestamp == null) {
            return null;
        }
        ZoneId zone = zone(calendar);
        return new Date(timestamp
                .toInstant()
                .atZone(zone)
                .toLocalDate()
                .atStartOfDay(zone)
                .toInstant()
                .toEpochMilli());
    }

    static @Nullable Time toTime(@Nullable Object value, @Nullable Calendar calendar) throws SQLException {
        Timestamp timestamp = toTimestamp(value instanceof String text ? timeOf(text) : value, calendar);
        if (timestamp == null) {
            return null;
        }
        ZoneId zone = zone(calendar);
        LocalTime time = timestamp.toInstant().atZone(zone).toLocalTime();
        return new Time(time.atDate(LocalDate.EPOCH).atZone(zone).toInstant().toEpochMilli());
    }

    /** A text is a time, or a timestamp of which the time is wanted. */
    private static Object timeOf(String text) {
        try {
            return LocalTime.parse(text.strip());
        } catch (DateTimeParseException e) {
            return text;
        }
    }

    /** What getObject gives: the classes of java.sql. */
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

    static @Nullable Object toClass(Object value, Class<?> type) throws SQLException {
        if (type == Timestamp.class || type == java.util.Date.class) {
            return toTimestamp(value, null);
        } else if (type == Date.class) {
            return toDate(value, null);
        } else if (type == Time.class) {
            return toTime(value, null);
        } else if (type == LocalDateTime.class) {
            return value instanceof LocalDate date ? date.atStartOfDay() : local(value);
        } else if (type == LocalDate.class) {
            return local(value).toLocalDate();
        } else if (type == LocalTime.class) {
            return value instanceof OffsetTime time
                    ? time.toLocalTime()
                    : local(value).toLocalTime();
        }
        return toInstantClass(value, type);
    }

    private static @Nullable Object toInstantClass(Object value, Class<?> type) throws SQLException {
        Timestamp timestamp = toTimestamp(value, null);
        if (timestamp == null) {
            return null;
        }
        Instant instant = timestamp.toInstant();
        if (type == OffsetDateTime.class) {
            return instant.atOffset(ZoneOffset.UTC);
        } else if (type == Instant.class) {
            return instant;
        }
        return type == ZonedDateTime.class ? instant.atZone(ZoneId.systemDefault()) : value;
    }

    private static LocalDateTime local(Object value) throws SQLException {
        if (value instanceof LocalDateTime local) {
            return local;
        }
        Timestamp timestamp = toTimestamp(value, null);
        return timestamp == null ? LocalDateTime.MIN : timestamp.toLocalDateTime();
    }

    private static LocalDateTime parse(Object value) throws SQLException {
        try {
            String text = value.toString().strip().replace(' ', 'T');
            return text.length() <= 10 ? LocalDate.parse(text).atStartOfDay() : LocalDateTime.parse(text);
        } catch (DateTimeParseException e) {
            throw new SQLDataException(
                    "Bad value for type timestamp/date/time: %s".formatted(value), SqlStates.CANNOT_CONVERT, e);
        }
    }

    /** As the engine writes it; an instant in the client's zone. */
    static String toText(Object value) {
        if (value instanceof LocalDateTime local) {
            return local.toLocalDate() + " " + TIME_FORM.format(local);
        }
        if (value instanceof OffsetDateTime instant) {
            OffsetDateTime here =
                    instant.atZoneSameInstant(ZoneId.systemDefault()).toOffsetDateTime();
            return here.toLocalDate() + " " + TIME_FORM.format(here) + offset(here.getOffset());
        }
        if (value instanceof LocalTime time) {
            return TIME_FORM.format(time);
        }
        if (value instanceof OffsetTime time) {
            return TIME_FORM.format(time) + offset(time.getOffset());
        }
        return value.toString();
    }

    private static String offset(ZoneOffset offset) {
        String text = OFFSET_FORM.format(LocalDateTime.MIN.atOffset(offset));
        return text.endsWith(":00") ? text.substring(0, text.length() - 3) : text;
    }
}
