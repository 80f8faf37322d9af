// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import java.sql.SQLException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What remains of a transaction after an error: the engine decides this by the error's code. */
class MySqlErrorsTest {
    @ParameterizedTest
    @CsvSource({"1213, ROLLED_BACK", "1020, ROLLED_BACK", "1206, ROLLED_BACK", "1062, GOES_ON", "1205, GOES_ON"})
    void shouldTellWhetherAnErrorHasEndedTheTransaction(int code, AfterError expected) {
        assertThat(new MySqlErrors().afterError(new SQLException("an error", "HY000", code)))
                .isEqualTo(expected);
    }
}
