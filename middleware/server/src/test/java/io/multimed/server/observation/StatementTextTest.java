// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engines;
import io.multimed.engine.sql.SqlReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The texts of reports contain no data of clients. */
class StatementTextTest {
    private static final SqlReader POSTGRESQL =
            Engines.of("postgresql").dialect().reader();
    private static final SqlReader MYSQL = Engines.of("mysql").dialect().reader();

    private static String shown(SqlReader reader, String sql) {
        return StatementText.withoutLiterals(reader, StatementText.bounded(sql));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            SELECT a FROM t WHERE b = 'secret' AND c=4711     | SELECT a FROM t WHERE b = ? AND c=?
            SELECT 1.5e3, .5, -7, x1 /* secret */ FROM "T t"  | SELECT ?, ?, -?, x1 FROM "T t"
            UPDATE t SET a = $1, b = ? -- secret              | UPDATE t SET a = $?, b = ?
            SELECT $tag$ secret ' $tag$, E'it''s', U&'secret' | SELECT ?, ?, U&?
            DO $$ BEGIN PERFORM 'secret'; END $$              | DO ?
            SELECT 0xdeadbeef + 1_000_000 + 0b101             | SELECT ? + ? + ?
            SELECT a FROM t WHERE a IN (1,2,3,4)              | SELECT a FROM t WHERE a IN (?, …)
            SELECT a FROM t WHERE a IN (1, 2)                 | SELECT a FROM t WHERE a IN (?, ?)
            ALTER USER ann PASSWORD 'secret'                  | ALTER USER ann PASSWORD ?
            SELECT 'secret                                    | SELECT ?
            SELECT 'a\\' , 'secret'                           | SELECT ? …
            """)
    void leavesLiteralsAndCommentsOut(String sql, String expected) {
        assertThat(shown(POSTGRESQL, sql)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            SELECT a FROM `t t` WHERE b = "secret" # secret | SELECT a FROM `t t` WHERE b = ?
            SELECT 0xff, x'00', _utf8'secret', 12abc        | SELECT ?, ?, _utf8?, ?
            CREATE USER a IDENTIFIED BY 'secret'            | CREATE USER a IDENTIFIED BY ?
            SELECT 'a\\'secret', 'secret'                   | SELECT ? …
            SELECT /*!99999 'secret' */ 1                   | SELECT /*? ? ?
            """)
    void leavesLiteralsOfTheOtherFamilyOut(String sql, String expected) {
        assertThat(shown(MYSQL, sql)).isEqualTo(expected);
    }

    @Test
    void isOneReadableLine() {
        assertThat(shown(POSTGRESQL, "SELECT\n\ta\r\nFROM \"t\n2026 ERROR forged\u001b[31m\u2028\u202e\""))
                .isEqualTo("SELECT a FROM \"t 2026 ERROR forged [31m  \"");
    }

    /** A statement can be as long as a frame. */
    @ParameterizedTest
    @ValueSource(strings = {"a, ", "'x', ", "1, ", "(", "\""})
    void isBounded(String part) {
        String shown = shown(POSTGRESQL, "SELECT " + part.repeat(1_000_000));
        assertThat(shown.length()).isLessThanOrEqualTo(StatementText.MAX_LENGTH + 3);
        assertThat(shown).endsWith("…");
    }
}
