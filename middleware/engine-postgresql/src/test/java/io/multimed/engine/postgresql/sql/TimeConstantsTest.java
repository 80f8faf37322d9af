// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.sql;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which texts may have constants for the present time. SharedSessionsTest runs such statements. */
class TimeConstantsTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT 'now'::timestamp",
                "SELECT timestamp ' Tomorrow '",
                "SELECT $$today$$::date",
                "SELECT $a$YESTERDAY$a$::date",
                "INSERT INTO t VALUES (?, 'today 12:00')"
            })
    void constantsAreFound(String sql) {
        assertThat(TimeConstants.mayBeIn(sql)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT now() FROM t WHERE a = ?",
                "SELECT now, today FROM t WHERE a = ?",
                "SELECT a FROM t WHERE b = 'known' AND c < now()",
                "SELECT a FROM nowhere WHERE b = '1'"
            })
    void functionsColumnsAndOtherWordsAreNone(String sql) {
        assertThat(TimeConstants.mayBeIn(sql)).isFalse();
    }
}
