// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Types;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The size of the cache is a bound on its memory, whatever clients send. */
class CacheableReadTest {
    private static int bytes(String sql, int sqlType, Object value) {
        return new CacheableRead.Key(sql, List.of(new Parameter(sqlType, value)), "", 0).bytes();
    }

    @Test
    void shouldCountTextsAndLargeValues() {
        BigInteger large = BigInteger.TWO.pow(800_000);
        assertThat(bytes("x".repeat(1_000), Types.INTEGER, 1)).isGreaterThan(1_000);
        assertThat(bytes("", Types.VARCHAR, "x".repeat(1_000))).isGreaterThan(1_000);
        assertThat(bytes("", Types.NUMERIC, new BigDecimal(large))).isGreaterThan(100_000);
        assertThat(bytes("", Types.NUMERIC, large)).isGreaterThan(100_000);
    }
}
