// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.extraction.JoinedStatements;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.group.GroupWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The second of three statements fails, maybe because of a change of the first one. */
class SharedTransactionTest {
    private final Fakes.Calls calls = new Fakes.Calls();
    private final GroupWorkers workers =
            new GroupWorkers("master", Fakes.engine(), Fakes.pool(calls), 1, new CriticalThreads());
    private final Statement first = new Statement(1, null);
    private final Statement second = new Statement(2, new SQLException("duplicate", "23000"));
    private final Statement third = new Statement(3, null);
    private int forgotten;

    @AfterEach
    void close() {
        workers.close();
    }

    private static final class Statement implements SharedTransaction.Member {
        private final int number;
        private final @Nullable SQLException failure;
        private String outcome = "none";

        Statement(int number, @Nullable SQLException failure) {
            this.number = number;
            this.failure = failure;
        }

        @Override
        public void runShared(Connection connection, int session) throws SQLException {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public Receipt receipt() {
            return new Receipt(number, number);
        }

        @Override
        public void committed(@Nullable WriteSet changes) {
            outcome = "committed";
        }

        @Override
        public void failedShared(SQLException cause) {
            outcome = cause.getSQLState();
        }

        @Override
        public void notRun() {
            outcome = "outside";
        }

        @Override
        public void undone() {
            outcome = "none";
        }

        @Override
        public void commitBegins() {
            outcome = "unknown";
        }

        @Override
        public boolean addTo(JoinedStatements message) {
            return false;
        }

        @Override
        public void begun(int session) {}

        @Override
        public void answered(JoinedStatements.Answer answer, long nanos) {}

        @Override
        public void needsMore() {}

        @Override
        public void mayRunAgain() {}

        @Override
        public void causedRollback() {
            outcome = "outside";
        }

        @Override
        public void excludeFromGroups() {}

        @Override
        public boolean wasCanceled() {
            return false;
        }
    }

    /** Ends the transaction in one of several ways. */
    @FunctionalInterface
    private interface End {
        List<WriteSet> run() throws SQLException;
    }

    private void run(End end) {
        Fakes.Commit commit = new Fakes.Commit() {
            @Override
            public List<WriteSet> sealAndCommit(
                    Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate) throws SQLException {
                assertThat(receipts).containsExactly(new Receipt(1, 1), new Receipt(3, 3));
                return end.run();
            }

            @Override
            public void forgetKey(Connection open) {
                forgotten++;
            }
        };
        new SharedTransaction(workers, commit, Fakes.dialect(AfterError.GOES_ON), List.of(first, second, third)).run();
    }

    private void assertOutcomes(String... expected) {
        assertThat(List.of(first.outcome, second.outcome, third.outcome)).containsExactly(expected);
    }

    @Test
    void shouldReportTheErrorIfTheOthersAreCommitted() {
        WriteSet changes = new WriteSet(new Scn(1), List.of(), null, 10);
        run(() -> List.of(changes, changes));
        assertOutcomes("committed", "23000", "committed");
    }

    @Test
    void shouldForgetTheKeyOfTheStatementThatHasFailed() {
        run(List::of);
        assertThat(forgotten).isEqualTo(1);
    }

    /** The client must not learn of a row that does not exist. */
    @Test
    void shouldRunTheStatementAgainIfTheOthersAreUndone() {
        run(() -> {
            throw new SQLException("interrupted", "70100");
        });
        assertOutcomes("outside", "outside", "outside");
    }

    @Test
    void shouldRunTheStatementAgainIfTheOutcomeOfTheOthersIsUnknown() {
        run(() -> {
            throw new SQLException("broken", "08S01");
        });
        assertOutcomes("08007", "outside", "08007");
    }
}
