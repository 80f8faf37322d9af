// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.text.SimpleDateFormat;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAccessor;
import java.util.Locale;

/** Formats moments that are set as texts: in the client's time zone, or with the offset of the value. */
final class MySqlMomentTexts {
    private static final DateTimeFormatter LOCAL = format("uuuu-MM-dd HH:mm:ss");
    private static final DateTimeFormatter LOCAL_MILLIS = format("uuuu-MM-dd HH:mm:ss.SSS");
    private static final DateTimeFormatter WITH_OFFSET = withOffset("uuuu-MM-dd HH:mm:ss");
    private static final DateTimeFormatter NANOS_WITH_OFFSET = withOffset("uuuu-MM-dd HH:mm:ss.SSSSSSSSS");
    private static final DateTimeFormatter TIME_WITH_OFFSET = withOffset("HH:mm:ss");
    private static final DateTimeFormatter TIME_NANOS_WITH_OFFSET = withOffset("HH:mm:ss.SSSSSSSSS");

    private MySqlMomentTexts() {}

    private static DateTimeFormatter format(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT);
    }

    /** Returns a format that appends the offset from UTC, as in {@code +02:00}, or {@code Z}. */
    private static DateTimeFormatter withOffset(String pattern) {
        return new DateTimeFormatterBuilder()
                .appendPattern(pattern)
                .appendOffset("+HH:MM", "Z")
                .toFormatter(Locale.ROOT);
    }

    static String of(OffsetDateTime moment) {
        return format(moment, WITH_OFFSET, NANOS_WITH_OFFSET);
    }

    static String of(OffsetTime time) {
        return format(time, TIME_WITH_OFFSET, TIME_NANOS_WITH_OFFSET);
    }

    /** Returns the text of the moment of a calendar, which has milliseconds. */
    static String of(LocalDateTime moment) {
        return format(moment, LOCAL, LOCAL_MILLIS);
    }

    private static String format(TemporalAccessor value, DateTimeFormatter plain, DateTimeFormatter fraction) {
        return (value.get(ChronoField.NANO_OF_SECOND) == 0 ? plain : fraction).format(value);
    }

    /** Returns the text of a date, a time or a timestamp in the client's time zone, by the rules of java.util. */
    static String of(java.util.Date value) {
        if (value instanceof Date) {
            return javaUtil("yyyy-MM-dd", value);
        } else if (value instanceof Time) {
            return javaUtil(value.getTime() % 1_000 == 0 ? "HH:mm:ss" : "HH:mm:ss.SSS", value);
        }
        Timestamp rounded = micros(value instanceof Timestamp timestamp ? timestamp : new Timestamp(value.getTime()));
        return javaUtil("yyyy-MM-dd HH:mm:ss", rounded) + fraction(rounded.getNanos());
    }

    private static String javaUtil(String pattern, java.util.Date value) {
        return new SimpleDateFormat(pattern, Locale.US).format(value);
    }

    /** Rounds a timestamp to microseconds, of which the engine has no parts. */
    private static Timestamp micros(Timestamp value) {
        long micros = (value.getNanos() + 500L) / 1_000;
        Timestamp rounded =
                new Timestamp(Math.floorDiv(value.getTime(), 1_000L) * 1_000 + (micros == 1_000_000 ? 1_000 : 0));
        rounded.setNanos((int) (micros % 1_000_000) * 1_000);
        return rounded;
    }

    private static String fraction(int nanos) {
        return nanos == 0 ? "" : ".%09d".formatted(nanos).replaceAll("0+$", "");
    }

    /** Rounds a duration to microseconds. */
    static Duration micros(Duration duration) {
        return Duration.ofSeconds(duration.getSeconds()).plus((duration.getNano() + 500L) / 1_000, ChronoUnit.MICROS);
    }

    /**
     * Returns the text of a value of the engine's type TIME: of a duration with hours, minutes and seconds as
     * Connector/J does, whose texts of other durations stand for other values.
     */
    static String of(Duration duration) {
        Duration absolute = duration.abs();
        boolean plain = absolute.toHours() != 0 && absolute.toMinutesPart() != 0;
        return (plain ? "%s%d:%d:%d" : "%s%d:%02d:%02d")
                        .formatted(
                                duration.isNegative() ? "-" : "",
                                absolute.toHours(),
                                absolute.toMinutesPart(),
                                absolute.toSecondsPart())
                + fraction(absolute.toNanosPart());
    }
}
