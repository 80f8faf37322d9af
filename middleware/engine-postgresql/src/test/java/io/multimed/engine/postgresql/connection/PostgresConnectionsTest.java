// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PostgresConnectionsTest {
    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h/options=d, jdbc:postgresql://h/options=d",
        "jdbc:postgresql://h/d?options=-c%20work_mem=64MB, jdbc:postgresql://h/d?",
        "jdbc:postgresql://h/d?a=b&options=-c%20x=y&c=d, jdbc:postgresql://h/d?a=b&c=d",
        "jdbc:postgresql://h/d?preferQueryMode=simple&options=x, jdbc:postgresql://h/d?preferQueryMode=extended&"
    })
    void shouldNotReplaceTheSettingsOfPoolsByThoseOfTheUrl(String url, String expected) {
        assertThat(PostgresConnections.oneByOne(url)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:postgresql://h/d?reWriteBatchedInserts=true, jdbc:postgresql://h/d?",
        "jdbc:postgresql://h/d?a=b&reWriteBatchedInserts=true&c=d, jdbc:postgresql://h/d?a=b&c=d",
        "jdbc:postgresql://h/reWriteBatchedInserts=d?a=b, jdbc:postgresql://h/reWriteBatchedInserts=d?a=b"
    })
    void shouldSeparateTheInsertsOfABatch(String url, String expected) {
        assertThat(PostgresConnections.separateInserts(url)).isEqualTo(expected);
    }
}
