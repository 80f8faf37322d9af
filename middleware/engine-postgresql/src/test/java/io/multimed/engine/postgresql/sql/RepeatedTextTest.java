// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A text is repeated only if pgjdbc sends each copy as it sends the text alone. */
class RepeatedTextTest {
    private static final PostgresReader READER = new PostgresReader();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT id FROM item WHERE id = ?",
                "  SELECT id FROM item WHERE id = ? -- it's all",
                "SELECT '{}', \"{d '\" FROM item WHERE tags @> '{a,b}' /* {d ' */",
                "SELECT {fn length(name)}, {d '2026-01-01'} FROM item",
                "SELECT E'\\'', $a$ ' { ( $a$, 'it''s' FROM item",
                "SELECT '\\n' FROM item"
            })
    void shouldRepeat(String sql) {
        for (int times = 2; times <= 16; times *= 2) {
            assertThat(READER.repeated(sql, times)).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 1 /* *}/ , set_config('a.b', 'c', false) --*/ , {d '2026-01-01'", // open until the next copy
                "SELECT {fn lower('A'",
                "SELECT E'a'\n'\\''", // to pgjdbc, the last quote opens a string
                "SELECT 1 /*/ ' */",
                "SELECT 1 /*/ ( */",
                "SELECT 1; SELECT 2",
                "SELECT {fn lower({fn lower({fn lower({fn lower({fn lower('A'"
            })
    void shouldNotRepeat(String sql) {
        assertThat(READER.repeated(sql, 2)).isEmpty();
    }

    /** pgjdbc takes this comment for code, in which each escape copies its argument: 2 to the power of their number. */
    @Test
    void shouldRefuseManyEscapesThatCopyTheirArguments() {
        String hidden = "SELECT 1 /*/ %s'a'%s */".formatted("{fn right(".repeat(40), ",1)}".repeat(40));
        assertThat(READER.reading(hidden).refusal()).contains("nested");
        assertThat(READER.reading("SELECT " + "{fn lower('A')}, ".repeat(40) + "{fn right('abc', 1)}")
                        .refusal())
                .isEmpty();
    }
}
