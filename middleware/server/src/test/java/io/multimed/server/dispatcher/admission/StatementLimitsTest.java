// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.server.node.Refusals;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests which statements run, which wait, and in which order they begin. */
@Timeout(60)
class StatementLimitsTest {
    private final Refusals refusals = new Refusals();
    private final List<String> began = Collections.synchronizedList(new ArrayList<>());

    private final class Statement implements StatementLimits.Execution {
        private final String name;
        private final CompletableFuture<SQLException> refused = new CompletableFuture<>();

        Statement(String name) {
            this.name = name;
        }

        @Override
        public void run() {
            began.add(name);
        }

        @Override
        public void refuse(SQLException cause) {
            refused.complete(cause);
        }
    }

    private Statement admit(StatementLimits limits, String user, int most, String name) {
        Statement statement = new Statement(name);
        limits.admit(user, most, false, statement);
        return statement;
    }

    private void awaitBegan(String... names) {
        await().untilAsserted(() -> assertThat(began).containsExactly(names));
    }

    @Test
    void usersTakeTurns() {
        try (StatementLimits limits = new StatementLimits(2, 0, refusals)) {
            admit(limits, "ann", 0, "a1");
            admit(limits, "ann", 0, "a2");
            admit(limits, "ann", 0, "a3");
            admit(limits, "ann", 0, "a4");
            admit(limits, "bob", 0, "b1");
            assertThat(limits.waiting()).isEqualTo(3);
            assertThat(began).containsExactly("a1", "a2");
            limits.ended("ann");
            awaitBegan("a1", "a2", "a3");
            limits.ended("ann");
            awaitBegan("a1", "a2", "a3", "b1");
            limits.ended("bob");
            awaitBegan("a1", "a2", "a3", "b1", "a4");
            limits.ended("ann");
            limits.ended("ann");
            assertThat(limits.running()).isZero();
        }
    }

    @Test
    void aUserAtItsLimitDoesNotDelayOthers() {
        try (StatementLimits limits = new StatementLimits(10, 0, refusals)) {
            admit(limits, "ann", 1, "a1");
            admit(limits, "ann", 1, "a2");
            admit(limits, "bob", 0, "b1");
            assertThat(began).containsExactly("a1", "b1");
            limits.ended("bob");
            assertThat(limits.waiting()).isEqualTo(1);
            limits.ended("ann");
            awaitBegan("a1", "b1", "a2");
        }
    }

    @Test
    void aStatementWithAConnectionRunsAnywayAndCounts() {
        try (StatementLimits limits = new StatementLimits(0, 0, refusals)) {
            admit(limits, "ann", 1, "a1");
            limits.admit("ann", 1, true, new Statement("in transaction"));
            assertThat(began).containsExactly("a1", "in transaction");
            admit(limits, "ann", 1, "a2");
            limits.ended("ann");
            assertThat(limits.running()).isEqualTo(1);
            assertThat(limits.waiting()).isEqualTo(1);
            limits.ended("ann");
            awaitBegan("a1", "in transaction", "a2");
        }
    }

    @Test
    void aStatementThatWaitsTooLongIsRefusedAndTheOthersBegin() throws Exception {
        try (StatementLimits limits = new StatementLimits(7, 50, refusals)) {
            admit(limits, "ann", 1, "a1");
            Statement late = admit(limits, "ann", 1, "a2");
            SQLException cause = late.refused.get();
            assertThat(cause.getSQLState()).isEqualTo("53400");
            assertThat(cause.getMessage())
                    .contains(
                            "listen.limits.acquire-timeout",
                            "max-statements of the user \"ann\": 1",
                            "listen.limits.statements: 7",
                            "run it again later");
            assertThat(refusals.of(Refusals.Limit.STATEMENTS_PER_USER)).isEqualTo(1);
            assertThat(refusals.of(Refusals.Limit.STATEMENTS)).isZero();
            assertThat(limits.withdraw("ann", late)).isFalse();
            limits.ended("ann");
            admit(limits, "ann", 1, "a3");
            assertThat(began).containsExactly("a1", "a3");
            limits.ended("ann");
            assertThat(limits.running() + limits.waiting()).isZero();
        }
    }

    @Test
    void statementsThatWaitBeginWhenALimitBecomesLarger() {
        try (StatementLimits limits = new StatementLimits(1, 0, refusals)) {
            admit(limits, "ann", 0, "a1");
            admit(limits, "ann", 0, "a2");
            admit(limits, "bob", 1, "b1");
            admit(limits, "bob", 1, "b2");
            limits.setLimits(3, 0, user -> user.equals("bob") ? 1 : 0);
            awaitBegan("a1", "a2", "b1");
            limits.setLimits(0, 0, user -> 0);
            awaitBegan("a1", "a2", "b1", "b2");
            assertThat(limits.running()).isEqualTo(4);
        }
    }

    @Test
    void statementsThatRunContinueWhenALimitBecomesSmaller() {
        try (StatementLimits limits = new StatementLimits(3, 0, refusals)) {
            admit(limits, "ann", 0, "a1");
            admit(limits, "ann", 0, "a2");
            limits.setLimits(1, 0, user -> 0);
            admit(limits, "ann", 0, "a3");
            limits.ended("ann");
            assertThat(limits.waiting()).isEqualTo(1);
            limits.ended("ann");
            awaitBegan("a1", "a2", "a3");
        }
    }

    @Test
    void aWaitEndsByTheNewTime() throws Exception {
        try (StatementLimits limits = new StatementLimits(1, 60_000, refusals)) {
            admit(limits, "ann", 0, "a1");
            Statement late = admit(limits, "bob", 0, "b1");
            limits.setLimits(1, 10, user -> 0);
            assertThat(late.refused.get().getMessage()).contains("the statement has waited for 0.0 s");
            limits.setLimits(1, 0, user -> 0);
            Statement waits = admit(limits, "bob", 0, "b2");
            limits.ended("ann");
            awaitBegan("a1", "b2");
            assertThat(waits.refused).isNotDone();
        }
    }

    @Test
    void aCanceledStatementNeverRuns() {
        try (StatementLimits limits = new StatementLimits(1, 60_000, refusals)) {
            admit(limits, "ann", 0, "a1");
            Statement canceled = admit(limits, "bob", 0, "b1");
            assertThat(limits.withdraw("bob", canceled)).isTrue();
            assertThat(limits.withdraw("bob", canceled)).isFalse();
            limits.ended("ann");
            assertThat(began).containsExactly("a1");
            assertThat(limits.running() + limits.waiting()).isZero();
        }
    }
}
