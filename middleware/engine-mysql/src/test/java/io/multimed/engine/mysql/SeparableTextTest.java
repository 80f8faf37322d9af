// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.mysql.connection.SeparableText;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SeparableTextTest {
    private static boolean isSeparable(String statement) {
        return SeparableText.isSeparable(statement.getBytes(UTF_8));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET a = a - 1 WHERE b = 5 / 2 * 3",
                "INSERT INTO t VALUES ('it''s; -- no comment', \"/* nor this\", 'größer')",
                "UPDATE `a;b` SET c = 'x\"y' WHERE d = '`'",
                "DELETE FROM t WHERE a = ''''",
                "INSERT INTO t VALUES (x'00ff', _binary'a', - -5)"
            })
    void shouldAcceptStatementsThatEndAtTheSameByteUnderEveryMode(String statement) {
        assertThat(isSeparable(statement)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "UPDATE t SET a = 1; DELETE FROM t",
                "UPDATE t SET a = 1;",
                "UPDATE t SET a = 1 -- ",
                "UPDATE t SET a = 1 # ",
                "UPDATE t SET a = 1 /* ",
                "UPDATE t SET a = 1 /*! , b = 2 */",
                "UPDATE t SET a = 1 */",
                "UPDATE t SET a = 'open",
                "UPDATE t SET a = \"open",
                "UPDATE `open SET a = 1",
                "UPDATE t SET a = 'it''",
                "UPDATE t SET a = 'x\\' , b = '",
                "UPDATE t SET a = '\\\\'",
                "UPDATE t SET a = $$x$$",
                "UPDATE t SET a = 1\0"
            })
    void shouldRefuseStatementsWhoseEndIsNotClear(String statement) {
        assertThat(isSeparable(statement)).isFalse();
    }
}
