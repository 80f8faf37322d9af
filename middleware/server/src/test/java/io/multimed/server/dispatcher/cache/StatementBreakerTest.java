// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatementBreakerTest {
    private final StatementBreaker breaker = new StatementBreaker();
    private long uses;

    /** Lets results end, each of which was used so often. */
    private void end(int results, int usesEach) {
        for (int i = 0; i < results; i++) {
            uses += usesEach;
            breaker.ended(uses);
        }
    }

    /** Returns the number of executions that bypass the cache until one takes part. */
    private int bypasses() {
        int count = 0;
        while (!breaker.admits()) {
            count++;
        }
        return count;
    }

    @Test
    void shouldUseTheCacheWhileResultsAreUsed() {
        for (int i = 0; i < 10; i++) {
            uses += StatementBreaker.MIN_USES;
            end(StatementBreaker.WINDOW, 0);
            assertThat(bypasses()).isZero();
        }
        end(StatementBreaker.WINDOW * 10, 3);
        assertThat(bypasses()).isZero();
        assertThat(breaker.bypassed()).isZero();
    }

    @Test
    void shouldDecideByResultsThatHaveEnded() {
        end(StatementBreaker.WINDOW - 1, 0);
        assertThat(bypasses()).isZero();
        end(1, 0);
        assertThat(breaker.paused()).isEqualTo(StatementBreaker.FIRST_PAUSE);
    }

    @Test
    void shouldPauseLongerAfterEachFailedAttempt() {
        int pause = StatementBreaker.FIRST_PAUSE;
        for (int i = 0; i < 10; i++) {
            end(StatementBreaker.WINDOW, 0);
            assertThat(bypasses()).isEqualTo(pause);
            pause = Math.min(2 * pause, StatementBreaker.FIRST_PAUSE << StatementBreaker.MAX_DOUBLINGS);
        }
        end(StatementBreaker.WINDOW, 1);
        assertThat(bypasses()).as("it pays again").isZero();
        end(StatementBreaker.WINDOW, 0);
        assertThat(bypasses()).as("as at the beginning").isEqualTo(StatementBreaker.FIRST_PAUSE);
    }

    @Test
    void shouldNotCountResultsThatEndDuringAPause() {
        end(StatementBreaker.WINDOW, 0);
        end(StatementBreaker.WINDOW * 3, 0);
        assertThat(bypasses()).isEqualTo(StatementBreaker.FIRST_PAUSE);
        end(StatementBreaker.WINDOW - 1, 0);
        assertThat(bypasses()).isZero();
    }

    @Test
    void shouldCountResultsThatAreRemovedForLackOfRoom() {
        StatementStatistics statement = new StatementStatistics("SELECT 1");
        CaffeineReplacement<Integer, StatementStatistics> results =
                new CaffeineReplacement<>(10, StatementStatistics::ended);
        for (int i = 0; statement.admits(); i++) {
            results.put(i, statement, 1);
            assertThat(results.size()).isLessThanOrEqualTo(10);
            assertThat(i).isLessThan(10_000);
        }
        assertThat(statement.now().paused()).isPositive();
    }
}
