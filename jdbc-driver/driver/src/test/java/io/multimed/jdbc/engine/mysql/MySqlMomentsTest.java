// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.value.Parameter;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Calendar;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Moments as parameters, of a client whose zone has another offset in java.util than in java.time before 1900. */
class MySqlMomentsTest {
    private static final ZoneId ZONE = ZoneId.of("America/New_York");
    private static final ZonedDateTime EARLY =
            LocalDateTime.parse("1850-01-01T00:00:00").atZone(ZONE);

    private final MySqlBehavior behavior = new MySqlBehavior();
    private final TimeZone before = TimeZone.getDefault();

    @BeforeEach
    void liveInNewYork() {
        TimeZone.setDefault(TimeZone.getTimeZone(ZONE));
    }

    @AfterEach
    void moveBack() {
        TimeZone.setDefault(before);
    }

    private Object set(Object value, int type) throws SQLException {
        Parameter parameter = behavior.parameter(value, type, -1);
        return parameter.value() instanceof OffsetDateTime moment ? moment.toLocalDateTime() : parameter.value();
    }

    @Test
    void shouldUseTheOffsetsOfJavaTimeForItsObjects() throws SQLException {
        for (Object value : List.of(EARLY, EARLY.toInstant(), EARLY.toOffsetDateTime())) {
            assertThat(set(value, Types.TIMESTAMP)).isEqualTo(EARLY.toLocalDateTime());
            assertThat(set(value, Types.DATE)).isEqualTo(LocalDate.of(1850, 1, 1));
            assertThat(set(value, Types.TIME)).isEqualTo(LocalTime.MIDNIGHT);
        }
    }

    @Test
    void shouldUseTheOffsetsOfJavaTimeForACalendarInATimeAndInAText() throws SQLException {
        Calendar calendar = Calendar.getInstance();
        calendar.setTimeInMillis(EARLY.toInstant().toEpochMilli());
        assertThat(set(calendar, Types.TIME)).isEqualTo(LocalTime.MIDNIGHT);
        assertThat(set(calendar, Types.VARCHAR)).isEqualTo("1850-01-01 00:00:00");
        assertThat(set(calendar, Types.TIMESTAMP)).isEqualTo(LocalDateTime.parse("1849-12-31T23:56:02"));
    }

    @ParameterizedTest
    @ValueSource(ints = {Types.CHAR, Types.NCHAR, Types.NVARCHAR, Types.LONGNVARCHAR, Types.CLOB, Types.SQLXML})
    void shouldWriteTheOffsetIntoATextOfEachType(int type) throws SQLException {
        assertThat(set(OffsetDateTime.parse("2024-06-15T12:34:56+09:00"), type)).isEqualTo("2024-06-15 12:34:56+09:00");
        assertThat(set(Instant.parse("2024-06-15T12:34:56.5Z"), type)).isEqualTo("2024-06-15 12:34:56.500000000Z");
        assertThat(set(OffsetTime.parse("12:34:56+09:00"), type)).isEqualTo("12:34:56+09:00");
    }

    @ParameterizedTest
    @ValueSource(ints = {Types.BIGINT, Types.BOOLEAN, Types.DECIMAL, Types.DOUBLE, Types.VARBINARY, Types.BLOB})
    void shouldRefuseNumbersAndBytes(int type) {
        for (Object value : List.of(
                EARLY, EARLY.toInstant(), Calendar.getInstance(), new Timestamp(0), Duration.ZERO, OffsetTime.MIN)) {
            assertThatThrownBy(() -> set(value, type))
                    .isInstanceOf(SQLException.class)
                    .hasMessageStartingWith(
                            "Conversion from " + value.getClass().getName())
                    .hasMessageEndingWith(" is not supported.");
        }
    }

    @Test
    void shouldRoundATimestampInAText() throws SQLException {
        assertThat(set(Timestamp.valueOf("2024-02-29 23:59:59.9999996"), Types.VARCHAR))
                .isEqualTo("2024-03-01 00:00:00");
        assertThat(set(Timestamp.valueOf("1960-02-29 12:00:00.1234564"), Types.VARCHAR))
                .isEqualTo("1960-02-29 12:00:00.123456");
    }

    @Test
    void shouldWriteADurationThatTheEngineReadsAsTheSame() throws SQLException {
        assertThat(set(Duration.ofMillis(3_723_500), Types.VARCHAR)).isEqualTo("1:2:3.5");
        assertThat(set(Duration.ofSeconds(-63), Types.VARCHAR)).isEqualTo("-0:01:03");
        assertThat(set(Duration.ofNanos(3_723_000_000_500L).negated(), Types.TIME))
                .isEqualTo("-1:2:3");
    }
}
