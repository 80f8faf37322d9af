// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.wire.Protocol;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Calendar;
import java.util.GregorianCalendar;
import java.util.List;
import java.util.TimeZone;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The parameters that setters and setObject make. */
class ParameterFactoryTest {
    static Stream<Arguments> objects() {
        UUID uuid = UUID.randomUUID();
        return Stream.of(
                Arguments.of("text", Types.VARCHAR, "text"),
                Arguments.of('c', Types.VARCHAR, "c"),
                Arguments.of(1, Types.INTEGER, 1),
                Arguments.of(2L, Types.BIGINT, 2L),
                Arguments.of((byte) 3, Types.SMALLINT, (short) 3),
                Arguments.of(1.5f, Types.REAL, 1.5f),
                Arguments.of(2.5, Types.DOUBLE, 2.5),
                Arguments.of(
                        new BigInteger("99999999999999999999"), Types.NUMERIC, new BigDecimal("99999999999999999999")),
                Arguments.of(true, Types.BOOLEAN, true),
                Arguments.of(uuid, Types.OTHER, uuid),
                Arguments.of(LocalDate.EPOCH, Types.NULL, LocalDate.EPOCH),
                Arguments.of(new int[] {1, 2}, Types.ARRAY, new ArrayValue("int4", Types.INTEGER, List.of(1, 2))),
                Arguments.of(
                        new String[][] {{"a"}, {"b"}},
                        Types.ARRAY,
                        new ArrayValue(
                                "varchar",
                                Types.VARCHAR,
                                List.of(
                                        new ArrayValue("varchar", Types.VARCHAR, List.of("a")),
                                        new ArrayValue("varchar", Types.VARCHAR, List.of("b"))))));
    }

    @ParameterizedTest
    @MethodSource("objects")
    void shouldChooseTheTypeByTheClass(Object value, int type, Object sent) throws SQLException {
        assertThat(ParameterFactory.object(value)).isEqualTo(new Parameter(type, sent));
    }

    @Test
    void shouldRefuseAClassThatNoTypeBelongsTo() {
        for (Object value : new Object[] {new Thread(), new java.util.Date(), Instant.EPOCH, new Object[] {1}}) {
            assertThatThrownBy(() -> ParameterFactory.object(value))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining(value.getClass().getName())
                    .extracting(e -> ((SQLException) e).getSQLState())
                    .isEqualTo("07006");
        }
    }

    static Stream<Arguments> casts() {
        return Stream.of(
                Arguments.of("12", Types.INTEGER, 12),
                Arguments.of(12.9, Types.INTEGER, 12),
                Arguments.of(true, Types.BIGINT, 1L),
                Arguments.of(new java.util.Date(5_000_000_000L), Types.INTEGER, (int) 5_000_000_000L),
                Arguments.of("1.25", Types.NUMERIC, new BigDecimal("1.25")),
                Arguments.of("yes", Types.BOOLEAN, true),
                Arguments.of(0.0, Types.BIT, false),
                Arguments.of(7, Types.VARCHAR, "7"),
                Arguments.of(300, Types.TINYINT, (short) 300));
    }

    @ParameterizedTest
    @MethodSource("casts")
    void shouldConvertToTheTargetType(Object value, int target, Object sent) throws SQLException {
        assertThat(ParameterFactory.object(value, target).value()).isEqualTo(sent);
    }

    @Test
    void shouldRoundDecimalsHalfUpToTheScale() throws SQLException {
        assertThat(ParameterFactory.object("2.345", Types.DECIMAL, 2).value()).isEqualTo(new BigDecimal("2.35"));
        assertThat(ParameterFactory.object(0.1, Types.DECIMAL, -1).value()).isEqualTo(new BigDecimal("0.1"));
    }

    @Test
    void shouldRefuseATargetTypeThatDoesNotSuitTheValue() {
        assertThatThrownBy(() -> ParameterFactory.object("twelve", Types.INTEGER))
                .hasMessage("Cannot convert an instance of java.lang.String to type int");
        assertThatThrownBy(() -> ParameterFactory.object(1, Types.ARRAY))
                .hasMessage("Cannot cast an instance of java.lang.Integer to type Types.ARRAY");
        assertThatThrownBy(() -> ParameterFactory.object(2, Types.BOOLEAN))
                .hasMessageContaining("Cannot cast to boolean");
        assertThatThrownBy(() -> ParameterFactory.object(1, Types.DATALINK))
                .hasMessage("Unsupported Types value: " + Types.DATALINK);
    }

    private static Calendar in(String zone) {
        return new GregorianCalendar(TimeZone.getTimeZone(zone));
    }

    private static Object sent(String moment, String zone) throws SQLException {
        return ParameterFactory.timestamp(Timestamp.from(Instant.parse(moment)), in(zone))
                .value();
    }

    @Test
    void shouldSendMomentsWithTheOffsetOfTheirZoneAtThatTime() throws SQLException {
        assertThat(sent("2024-03-31T00:59:59Z", "Europe/Berlin"))
                .isEqualTo(OffsetDateTime.parse("2024-03-31T01:59:59+01:00"));
        assertThat(sent("2024-03-31T01:00:00Z", "Europe/Berlin"))
                .as("after the clock was put forward")
                .isEqualTo(OffsetDateTime.parse("2024-03-31T03:00:00+02:00"));
        assertThat(sent("1880-01-01T00:00:00Z", "Europe/Amsterdam"))
                .as("with the offset of java.util, which has no local mean time")
                .isEqualTo(OffsetDateTime.ofInstant(
                        Instant.parse("1880-01-01T00:00:00Z"),
                        java.time.ZoneOffset.ofTotalSeconds(
                                TimeZone.getTimeZone("Europe/Amsterdam").getOffset(-2_840_140_800_000L) / 1_000)));
        assertThatThrownBy(() -> ParameterFactory.timestamp(
                        new Timestamp(0), new GregorianCalendar(new java.util.SimpleTimeZone(20 * 3_600_000, "far"))))
                .hasMessageContaining("time zone displacement out of range");
    }

    @Test
    void shouldSendDatesAndTimesWithTheirOwnType() throws SQLException {
        assertThat(ParameterFactory.date(Date.valueOf("2024-01-02")).sqlType()).isEqualTo(Types.DATE);
        assertThat(ParameterFactory.time(Time.valueOf("01:02:03")).sqlType()).isEqualTo(Types.TIME);
        assertThat(ParameterFactory.object("2024-01-02 03:04:05", Types.TIMESTAMP)
                        .value())
                .isEqualTo(ParameterFactory.timestamp(Timestamp.valueOf("2024-01-02 03:04:05"))
                        .value());
        assertThat(ParameterFactory.object(LocalDateTime.MIN, Types.TIMESTAMP))
                .isEqualTo(new Parameter(Types.NULL, LocalDateTime.MIN));
        assertThat(ParameterFactory.date(null)).isEqualTo(new Parameter(Types.DATE, null));
    }

    @Test
    void shouldReadSmallStreamsAtOnceAndLargeStreamsDuringTheStatement() throws Exception {
        assertThat(StreamParameters.bytes(new ByteArrayInputStream(new byte[] {1, 2}), 2)
                        .value())
                .isEqualTo(new byte[] {1, 2});
        assertThat(StreamParameters.text(new StringReader("text"), 3)).isEqualTo(new Parameter(Types.VARCHAR, "tex"));
        String large = "ä\uD83D\uDE00".repeat(Protocol.PIECE / 3) + "end";
        Object value = StreamParameters.text(new StringReader(large), -1).value();
        assertThat(value).isInstanceOf(StreamedValue.class);
        try (InputStream utf8 = ((StreamedValue) value).stream()) {
            assertThat(new String(utf8.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(large);
        }
    }

    @Test
    void shouldAcceptStreamsThatAreShorterThanAnnounced() throws Exception {
        assertThat(StreamParameters.bytes(new ByteArrayInputStream(new byte[2]), 3)
                        .value())
                .isEqualTo(new byte[2]);
        assertThat(StreamParameters.text(new StringReader("ab"), 3).value()).isEqualTo("ab");
        assertThat(StreamParameters.ascii(new ByteArrayInputStream(new byte[] {'a'}), 3)
                        .value())
                .isEqualTo("a");
    }

    @Test
    void shouldRefuseStreamsThatEndTooEarlyOrFail() {
        assertThatThrownBy(() -> StreamParameters.exactBytes(new ByteArrayInputStream(new byte[2]), 3))
                .hasMessage("Premature end of input stream, expected 3 bytes, but only read 2.");
        assertThatThrownBy(() -> StreamParameters.bytes(new ByteArrayInputStream(new byte[2]), -2))
                .hasMessage("Invalid stream length -2.");
        assertThatThrownBy(() -> StreamParameters.text(
                        new Reader() {
                            @Override
                            public int read(char[] to, int offset, int length) throws IOException {
                                throw new IOException("broken");
                            }

                            @Override
                            public void close() {}
                        },
                        5))
                .hasMessage("Provided Reader failed.")
                .hasRootCauseMessage("broken");
    }
}
