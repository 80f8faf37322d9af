// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatementCostsTest {
    private static final String SQL = "SELECT a FROM t";

    private final StatementCosts costs = new StatementCosts();

    @Test
    void shouldFollowRecentExecutions() {
        costs.ran(SQL, 1_000);
        assertThat(costs.of(SQL)).isEqualTo(1_000);
        costs.ran(SQL, 2_000);
        assertThat(costs.of(SQL)).isEqualTo(1_250);
    }

    @Test
    void shouldNotBecomeSmallerByExecutionsThatAreCanceled() {
        costs.ran(SQL, 1_000);
        for (int i = 0; i < 100; i++) {
            costs.failed(SQL, 10);
        }
        assertThat(costs.of(SQL)).isEqualTo(1_000);
        costs.failed(SQL, 5_000);
        assertThat(costs.of(SQL)).isEqualTo(2_000);
    }
}
