// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.protocol.value.OtherValue;
import java.math.BigDecimal;
import java.sql.SQLDataException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Getters for numbers, on values of all classes. */
class NumberConversionTest {
    private static long toInt(@Nullable Object value) throws SQLException {
        return NumberConversion.toLong(value, Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
    }

    @ParameterizedTest
    @CsvSource({"42,42", "-1.9,-1", "1e3,1000", "' 7 ',7", "$12.50,12", "-$3,-3", "($4),-4", "2147483647,2147483647"})
    void shouldReadIntegersFromTextAndCutFractions(String text, long expected) throws SQLException {
        assertThat(toInt(text)).isEqualTo(expected);
        assertThat(toInt(new OtherValue("money", text))).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"2147483648", "-2147483649", "1e300", "Infinity", "NaN", "twelve", "", "1,5"})
    void shouldRefuseTextThatIsNoIntegerOfTheType(String text) {
        assertThatThrownBy(() -> toInt(text))
                .isInstanceOf(SQLDataException.class)
                .hasMessage("Bad value for type int : " + text.strip())
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("22003");
    }

    @Test
    void shouldCheckTheBoundsOfTheRequestedType() throws SQLException {
        assertThat(NumberConversion.toLong(32_767, Short.MIN_VALUE, Short.MAX_VALUE, "short"))
                .isEqualTo(32_767);
        assertThatThrownBy(() -> NumberConversion.toLong(32_768L, Short.MIN_VALUE, Short.MAX_VALUE, "short"))
                .hasMessage("Bad value for type short : 32768");
        assertThat(NumberConversion.toByte((short) -128)).isEqualTo((byte) -128);
        assertThatThrownBy(() -> NumberConversion.toByte(128)).hasMessage("Bad value for type byte : 128");
        assertThat(NumberConversion.toByte("")).as("the empty text").isZero();
        assertThatThrownBy(() -> NumberConversion.toLong(
                        new BigDecimal("9223372036854775808"), Long.MIN_VALUE, Long.MAX_VALUE, "long"))
                .hasMessageContaining("9223372036854775808");
    }

    @Test
    void shouldMakeZeroOfNull() throws SQLException {
        assertThat(toInt(null)).isZero();
        assertThat(NumberConversion.toByte(null)).isZero();
        assertThat(NumberConversion.toFloat(null)).isZero();
        assertThat(NumberConversion.toDouble(null)).isZero();
        assertThat(NumberConversion.toDecimal(null)).isNull();
        assertThat(NumberConversion.toDecimal(null, 2)).isNull();
    }

    @Test
    void shouldKeepSpecialFloatingPointValuesButNotAsDecimals() throws SQLException {
        assertThat(NumberConversion.toDouble("NaN")).isNaN();
        assertThat(NumberConversion.toFloat("-Infinity")).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(NumberConversion.toDouble(0.1f)).as("the text of the float").isEqualTo(0.1);
        assertThatThrownBy(() -> NumberConversion.toDecimal("NaN")).hasMessage("Bad value for type BigDecimal : NaN");
    }

    @Test
    void shouldRoundDecimalsToTheEvenNeighbour() throws SQLException {
        assertThat(NumberConversion.toDecimal("2.345", 2)).isEqualTo("2.34");
        assertThat(NumberConversion.toDecimal("2.355", 2)).isEqualTo("2.36");
    }

    @ParameterizedTest
    @CsvSource({"t,true", "YES,true", "on,true", "1,true", "f,false", "No,false", "OFF,false", "0,false"})
    void shouldReadBooleansFromWords(String text, boolean expected) throws SQLException {
        assertThat(BasicConversion.toBoolean(text)).isEqualTo(expected);
    }

    @Test
    void shouldRefuseAnyOtherTextAsBoolean() throws SQLException {
        assertThat(BasicConversion.toBoolean(null)).isFalse();
        assertThat(BasicConversion.toBoolean(1)).isTrue();
        assertThatThrownBy(() -> BasicConversion.toBoolean("perhaps"))
                .hasMessage("Cannot cast to boolean: \"perhaps\"")
                .extracting(e -> ((SQLException) e).getSQLState())
                .isEqualTo("42846");
        assertThatThrownBy(() -> BasicConversion.toBoolean(2)).hasMessageContaining("\"2\"");
    }
}
