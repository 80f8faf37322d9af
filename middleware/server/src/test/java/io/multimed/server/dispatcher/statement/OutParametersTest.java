// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.Engines;
import io.multimed.engine.dialect.EngineValues;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireReader;
import io.multimed.server.testing.TestCluster;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TimeZone;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks OUT parameters of a client in another time zone than the middleware. The driver of the engine does not
 * distinguish timestamps with and without time zone.
 */
@Timeout(600)
@Tag("slow")
class OutParametersTest {
    private static final TimeZone USUAL = TimeZone.getDefault();
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run(
                "CREATE FUNCTION times(IN text, OUT n int, OUT local timestamp, OUT moment timestamptz) LANGUAGE sql STABLE AS"
                        + " $$ SELECT 7, $1::timestamp, ($1 || 'Z')::timestamptz $$",
                "CREATE FUNCTION of_day(IN text, OUT local time, OUT zoned timetz, OUT days date) LANGUAGE sql STABLE AS"
                        + " $$ SELECT $1::time, ($1 || '+05:30')::timetz, '0044-03-15 BC'::date $$");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @AfterEach
    void restore() {
        TimeZone.setDefault(USUAL);
    }

    private static List<@Nullable Object> call(String zone, String time) throws SQLException {
        List<CallOptions.Out> outs = List.of(
                new CallOptions.Out(2, Types.INTEGER),
                new CallOptions.Out(3, Types.TIMESTAMP),
                new CallOptions.Out(4, Types.TIMESTAMP));
        return call(outs, zone, "{call times(?, ?, ?, ?)}", time);
    }

    private static List<@Nullable Object> call(List<CallOptions.Out> outs, String zone, String sql, String time)
            throws SQLException {
        CallOptions options = new CallOptions(outs, zone);
        EngineValues values = Engines.of("postgresql").dialect().values();
        try (Connection connection = cluster.direct("master");
                CallableStatement statement = OutParameters.prepare(connection, sql, options)) {
            statement.setString(1, time);
            statement.execute();
            Outcome.Rowset row = Objects.requireNonNull(
                    OutParameters.of(statement, options, values).row());
            WireReader in = new WireReader(row.first().data());
            List<@Nullable Object> read = new ArrayList<>();
            for (int i = 0; i < outs.size(); i++) {
                read.add(ValueCodec.read(in));
            }
            return read;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Tokyo", "America/St_Johns", "Europe/Berlin"})
    void shouldReturnTimestampsWithAndWithoutZoneUnchanged(String middleware) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(middleware));
        for (String time : List.of("2020-03-29 05:30:00.25", "2020-10-25 02:30:00", "1900-01-01 00:00:00")) {
            assertThat(call("Asia/Kolkata", time))
                    .containsExactly(
                            7,
                            LocalDateTime.parse(time.replace(' ', 'T')),
                            OffsetDateTime.parse(time.replace(' ', 'T') + "Z"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTC", "Asia/Tokyo", "America/St_Johns", "Europe/Berlin"})
    void shouldReturnTimesOfDayWithAndWithoutZoneUnchanged(String middleware) throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone(middleware));
        List<CallOptions.Out> outs = List.of(
                new CallOptions.Out(2, Types.TIME),
                new CallOptions.Out(3, Types.TIME),
                new CallOptions.Out(4, Types.DATE));
        for (String time : List.of("12:34:56.789", "12:34:00", "00:00:00", "23:59:59.999")) {
            List<@Nullable Object> read = call(outs, "Asia/Kolkata", "{call of_day(?, ?, ?, ?)}", time);
            assertThat(read.get(0)).isEqualTo(LocalTime.parse(time));
            assertThat(Objects.requireNonNull((OffsetTime) read.get(1))
                            .withOffsetSameInstant(ZoneOffset.ofHoursMinutes(5, 30)))
                    .isEqualTo(OffsetTime.parse(time + "+05:30"));
            assertThat(read.get(2)).isEqualTo(LocalDate.of(-43, 3, 15));
        }
    }

    @Test
    void shouldRefuseATimestampThatTheEnginesDriverMayHaveShifted() throws SQLException {
        TimeZone.setDefault(TimeZone.getTimeZone("Europe/Berlin"));
        for (String time : List.of("2020-03-29 02:30:00", "2020-03-29 03:30:00")) {
            assertThatThrownBy(() -> call("Asia/Kolkata", time))
                    .hasMessageContaining(
                            "clocks are put forward at this time in the middleware's time zone, Europe/Berlin")
                    .extracting("SQLState")
                    .isEqualTo("0A000");
        }
        assertThat(call("Asia/Kolkata", "2020-03-29 04:00:00")).contains(LocalDateTime.parse("2020-03-29T04:00:00"));
    }
}
