// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which tables ANALYZE names. */
class AnalyzeStatementTest {
    @ParameterizedTest
    @ValueSource(strings = {"ANALYZE", "analyze verbose", "ANALYZE (VERBOSE, SKIP_LOCKED true);", "ANALYZE -- all"})
    void allTables(String sql) {
        assertThat(AnalyzeStatement.tables(sql)).contains(List.of());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            ANALYZE item                                 | item
            ANALYZE VERBOSE shop.item (id, "a b") ;      | shop.item
            ANALYZE (VERBOSE off) "Item", lab . "x.""y"  | "Item", lab."x.""y"
            ANALYZE ONLY parent, other *                 | parent, other
            ANALYZE verbose, item                        |
            ANALYZE item; DROP TABLE item                |
            ANALYZE 'item'                               |
            ANALYZE item,                                |
            EXPLAIN ANALYZE SELECT 1                     |
            """)
    void namedTables(String sql, String tables) {
        assertThat(AnalyzeStatement.tables(sql).map(names -> String.join(", ", names)))
                .isEqualTo(java.util.Optional.ofNullable(tables));
    }

    @Test
    void nothing() {
        assertThat(AnalyzeStatement.tables("")).isEmpty();
    }
}
