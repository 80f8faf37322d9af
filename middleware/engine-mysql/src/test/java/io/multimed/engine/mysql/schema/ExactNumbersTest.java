// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExactNumbersTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "1",
                "18446744073709551615",
                "-9223372036854775808",
                "2.5",
                "1.0",
                "-0.0",
                "0.1",
                "100000.0",
                "1e300",
                "1.2345678901234567e19",
                "0.30000000000000004",
                "\"1.10\"",
                "\"a \\\" 1.10\"",
                "{\"1.10\": \"x\", \"\": {}, \"a\": [[], true, false, {\"b\": null}]}"
            })
    void shouldLeaveNumbersThatTheEngineReadsAsTheyAre(String document) {
        assertThat(ExactNumbers.restored(document, "?")).isEqualTo("?");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.10",
                "-0.10",
                "0.00",
                "18446744073709551616",
                "-9223372036854775809",
                "12345678901234567890.5",
                "0.1234567890123456789"
            })
    void shouldRestoreNumbersThatTheEngineWouldRound(String number) {
        assertThat(ExactNumbers.restored(number, "?"))
                .startsWith("JSON_REPLACE(CAST(? AS JSON)," + path("$") + ",CAST('" + number + "' AS DECIMAL(");
    }

    @Test
    void shouldFindThePathOfEachNumber() {
        assertThat(ExactNumbers.restored("{\"a b\": 1.10, \"c\\\"\": [1, {\"d\": 0.010}, [2.50]]}", "?"))
                .isEqualTo(
                        "JSON_REPLACE(CAST(? AS JSON),%s,CAST('1.10' AS DECIMAL(3,2)),%s,CAST('0.010' AS DECIMAL(3,3)),%s,CAST('2.50' AS DECIMAL(3,2)))"
                                .formatted(path("$.\"a b\""), path("$.\"c\\\"\"[1].\"d\""), path("$.\"c\\\"\"[2][0]")));
    }

    @Test
    void shouldRefuseADocumentThatIsCutOff() {
        assertThatThrownBy(() -> ExactNumbers.restored("[1.10, {", "?")).isInstanceOf(IllegalArgumentException.class);
    }

    private static String path(String path) {
        return "_utf8mb4 x'" + HexFormat.of().formatHex(path.getBytes(UTF_8)) + "'";
    }
}
