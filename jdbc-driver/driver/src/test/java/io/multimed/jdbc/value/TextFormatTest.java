// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.protocol.value.ArrayValue;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values as texts in the engine's form. */
class TextFormatTest {
    @ParameterizedTest
    @CsvSource({
        "0.1,0.1",
        "1e15,1e+15",
        "123456789012345,123456789012345",
        "1e-5,1e-05",
        "0.0001,0.0001",
        "-0.0,-0",
        "4.9e-324,5e-324",
        "2e-3,0.002",
        "1.7976931348623157E308,1.7976931348623157e+308",
        "NaN,NaN"
    })
    void shouldWriteDoublesWithTheFewestDigits(double number, String expected) {
        assertThat(TextFormat.of(number)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"0.1,0.1", "1e6,1e+06", "999999,999999", "1.4e-45,1e-45", "Infinity,Infinity"})
    void shouldWriteFloatsWithTheFewestDigits(float number, String expected) {
        assertThat(TextFormat.of(number)).isEqualTo(expected);
    }

    @Test
    void shouldWriteDecimalsBooleansAndBytes() {
        assertThat(TextFormat.of(new BigDecimal("1E+3"))).isEqualTo("1000");
        assertThat(TextFormat.of(true)).isEqualTo("t");
        assertThat(TextFormat.of(new byte[] {0, (byte) 0xff})).isEqualTo("\\x00ff");
    }

    @Test
    void shouldWriteDatesAndTimes() {
        assertThat(TextFormat.of(LocalDate.of(2024, 2, 3))).isEqualTo("2024-02-03");
        assertThat(TextFormat.of(LocalDate.of(0, 1, 1))).isEqualTo("0001-01-01 BC");
        assertThat(TextFormat.of(LocalDate.MAX)).isEqualTo("infinity");
        assertThat(TextFormat.of(LocalDateTime.MIN)).isEqualTo("-infinity");
        assertThat(TextFormat.of(LocalTime.MAX)).isEqualTo("24:00:00");
        assertThat(TextFormat.of(LocalTime.of(1, 2, 3, 450_000_000))).isEqualTo("01:02:03.45");
        assertThat(TextFormat.of(OffsetTime.of(1, 2, 3, 0, ZoneOffset.ofHoursMinutes(-3, -30))))
                .isEqualTo("01:02:03-03:30");
        assertThat(TextFormat.of(OffsetDateTime.of(1890, 1, 1, 0, 0, 0, 0, ZoneOffset.ofTotalSeconds(3_208))))
                .isEqualTo("1890-01-01 00:00:00+00:53:28");
    }

    @Test
    void shouldQuoteElementsOfArraysThatRequireIt() {
        List<String> elements = Arrays.asList("plain", "", "null", null, "a b", "{", "say \"x\"", "back\\slash");
        ArrayValue array = new ArrayValue("text", Types.VARCHAR, List.copyOf(elements.subList(0, 3)));
        assertThat(TextFormat.of(array)).isEqualTo("{plain,\"\",\"null\"}");
        assertThat(TextFormat.array(Arrays.asList(elements.toArray()), false))
                .isEqualTo("{plain,\"\",\"null\",NULL,\"a b\",\"{\",\"say \\\"x\\\"\",\"back\\\\slash\"}");
        ArrayValue row = new ArrayValue("int4", Types.INTEGER, List.of(1, 2));
        assertThat(TextFormat.array(List.of(row, row), true)).isEqualTo("{{\"1\",\"2\"},{\"1\",\"2\"}}");
    }
}
