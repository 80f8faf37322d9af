// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dates and times, in a client whose clock changes twice a year. */
class DateTimeConversionTest {
    private final TimeZone before = TimeZone.getDefault();

    @BeforeEach
    void liveInBerlin() {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
    }

    @AfterEach
    void restore() {
        TimeZone.setDefault(before);
    }

    private static Calendar in(String zone) {
        return new GregorianCalendar(TimeZone.getTimeZone(zone));
    }

    private static Instant timestamp(Object value) throws SQLException {
        return DateTimeConversion.toTimestamp(value, null).toInstant();
    }

    @Test
    void shouldMoveATimeThatTheClockSkippedForward() throws SQLException {
        Instant moved = Instant.parse("2024-03-31T01:30:00Z");
        assertThat(timestamp(LocalDateTime.parse("2024-03-31T02:30:00"))).isEqualTo(moved);
        assertThat(timestamp("2024-03-31 02:30:00")).as("the same as a text").isEqualTo(moved);
        assertThat(DateTimeConversion.toTimestamp(LocalDateTime.parse("2024-03-31T02:30:00"), in("UTC"))
                        .toInstant())
                .as("in a zone without the change")
                .isEqualTo("2024-03-31T02:30:00Z");
    }

    @Test
    void shouldTakeAnAmbiguousTimeAsJavaSqlDoes() throws SQLException {
        LocalDateTime twice = LocalDateTime.parse("2024-10-27T02:30:00");
        assertThat(timestamp(twice)).isEqualTo(Timestamp.valueOf(twice).toInstant());
        assertThat(timestamp(OffsetDateTime.parse("2024-10-27T02:30:00+02:00"))).isEqualTo("2024-10-27T00:30:00Z");
        assertThat(timestamp(OffsetDateTime.parse("2024-10-27T02:30:00+01:00"))).isEqualTo("2024-10-27T01:30:00Z");
    }

    @Test
    void shouldFindTheDayOfAMomentInTheZoneOfTheCalendar() throws SQLException {
        OffsetDateTime late = OffsetDateTime.parse("2024-06-30T23:30:00Z");
        assertThat(DateTimeConversion.toDate(late, null)).isEqualTo(Date.valueOf("2024-07-01"));
        assertThat(DateTimeConversion.toDate(late, in("America/New_York")).getTime())
                .isEqualTo(Instant.parse("2024-06-30T04:00:00Z").toEpochMilli());
    }

    @Test
    void shouldKeepNanosecondsOfTimestamps() throws SQLException {
        assertThat(DateTimeConversion.toTimestamp("2024-01-01 00:00:00.123456789", null)
                        .getNanos())
                .isEqualTo(123_456_789);
        assertThat(DateTimeConversion.toTimestamp(LocalDateTime.parse("2024-01-01T00:00:00.000001"), null)
                        .getNanos())
                .isEqualTo(1_000);
    }

    @Test
    void shouldCountDaysBefore1582InTheJulianCalendar() throws SQLException {
        GregorianCalendar julian = new GregorianCalendar(1582, Calendar.OCTOBER, 4);
        assertThat(DateTimeConversion.toDate(LocalDate.of(1582, 10, 4), null).getTime())
                .isEqualTo(julian.getTimeInMillis());
        GregorianCalendar newYear = new GregorianCalendar(TimeZone.getTimeZone("UTC"));
        newYear.clear();
        newYear.set(1500, Calendar.JANUARY, 1);
        assertThat(timestamp(OffsetDateTime.parse("1500-01-01T00:00:00Z")).toEpochMilli())
                .as("a moment, which java.time would place nine days earlier")
                .isEqualTo(newYear.getTimeInMillis());
        assertThat(DateTimeConversion.toDate("0044-03-15 BC", null)
                        .toLocalDate()
                        .getYear())
                .isEqualTo(44);
    }

    @Test
    void shouldMapTheInfinitiesToTheEndsOfJavaSql() throws SQLException {
        assertThat(DateTimeConversion.toTimestamp(LocalDateTime.MAX, null).getTime())
                .isEqualTo(DateTimeConversion.INFINITY);
        assertThat(DateTimeConversion.toDate(LocalDate.MIN, null).getTime())
                .isEqualTo(DateTimeConversion.MINUS_INFINITY);
        assertThat(DateTimeConversion.toClass(LocalDateTime.MAX, OffsetDateTime.class))
                .isEqualTo(OffsetDateTime.MAX);
    }

    @Test
    void shouldPutTimesOnTheFirstDayOf1970() throws SQLException {
        Time time = DateTimeConversion.toTime(LocalTime.of(10, 11, 12), null);
        assertThat(time).isEqualTo(Time.valueOf("10:11:12"));
        assertThat(DateTimeConversion.toTime(OffsetTime.of(10, 0, 0, 0, ZoneOffset.ofHours(3)), null)
                        .getTime())
                .isEqualTo(7 * 3_600_000L);
        assertThat(DateTimeConversion.toTime(LocalDateTime.parse("2024-07-01T10:11:12"), null))
                .as("of a summer's day, at the same wall clock time")
                .isEqualTo(Time.valueOf("10:11:12"));
        assertThat(DateTimeConversion.toTime(LocalTime.MAX, null).getTime())
                .as("24:00:00")
                .isEqualTo(23 * 3_600_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yesterday", "", "2024-01", "2024-01-01T00:00:00", "BC", "12:00", "2024-01-01 AD BC"})
    void shouldRefuseTextThatIsNoDateOrTime(String text) {
        assertThatThrownBy(() -> DateTimeConversion.toTimestamp(text, null))
                .hasMessage("Bad value for type timestamp/date/time: " + text)
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("22007");
    }

    @Test
    void shouldConvertToJavaTimeOnlyFieldsOfTheValue() {
        OffsetTime daysEnd = LocalTime.MAX.atOffset(ZoneOffset.ofHours(5));
        assertThat(DateTimeConversion.toClass(daysEnd, OffsetTime.class)).isEqualTo(OffsetTime.MAX);
        assertThatThrownBy(() -> DateTimeConversion.toClass(daysEnd, OffsetDateTime.class))
                .isInstanceOf(DateTimeException.class);
        LocalDateTime local = LocalDateTime.parse("2024-01-02T03:04:05");
        assertThat(DateTimeConversion.toClass(local, LocalDate.class)).isEqualTo(LocalDate.of(2024, 1, 2));
        assertThat(DateTimeConversion.toClass(local, LocalTime.class)).isNull();
        assertThat(DateTimeConversion.toClass(OffsetDateTime.parse("2024-01-02T03:04:05+01:00"), OffsetDateTime.class))
                .isEqualTo(OffsetDateTime.parse("2024-01-02T02:04:05Z"));
        assertThat(DateTimeConversion.toClass("text", LocalDate.class)).isNull();
    }
}
