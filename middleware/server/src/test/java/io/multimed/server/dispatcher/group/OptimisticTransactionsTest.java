// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.sql.Classification;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.server.dispatcher.classification.ClassifiedTexts;
import io.multimed.server.dispatcher.session.SessionTimeZone;
import io.multimed.server.dispatcher.statement.Cancellation;
import io.multimed.server.dispatcher.statement.StatementRunner;
import io.multimed.server.dispatcher.statement.StatementState;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.group.GroupWorkers;
import io.multimed.server.propagation.commit.CommitMember;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two statements of a commit group share a transaction that fails: they run alone, unless it may be committed. */
class OptimisticTransactionsTest {
    private static final WriteSet ALONE = new WriteSet(new Scn(9), List.of(), null, 10);

    private final Fakes.Calls calls = new Fakes.Calls();
    private final List<Object> answers = new ArrayList<>();
    private final GroupWorkers workers =
            new GroupWorkers("master", Fakes.engine(), Fakes.pool(calls), 1, new CriticalThreads());

    @AfterEach
    void close() {
        workers.close();
    }

    /** A failure of a class that no part of the middleware expects. */
    private static final class UnexpectedError extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Ends the shared transaction in one of several ways. */
    @FunctionalInterface
    private interface End {
        List<WriteSet> run() throws SQLException;
    }

    private static Fakes.Commit ending(End end) {
        return new Fakes.Commit() {
            @Override
            public List<WriteSet> sealAndCommit(
                    Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate) throws SQLException {
                return end.run();
            }
        };
    }

    /** Commits a statement that runs alone. */
    private static final class Alone implements PiggybackCommit {
        @Override
        public String text(String sql) {
            return sql;
        }

        @Override
        public void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable) {}

        @Override
        public SealResult result(PreparedStatement executed, SessionFate fate) {
            return new SealResult(Optional.of(ALONE), false);
        }
    }

    /** Receives the answers to the client. */
    private final class Answers implements GroupedCommit.Outcome {
        @Override
        public void committed(Executed result, Scn scn) {
            answers.add(result.outcomes());
        }

        @Override
        public void changed(WriteSet writeSet) {}

        @Override
        public void mustRunOutside() {
            answers.add("outside");
        }

        @Override
        public void failed(SQLException cause) {
            answers.add(cause.getSQLState());
        }
    }

    private GroupCapabilities capabilities(End end) {
        return new GroupCapabilities(
                Optional.of(new Alone()), Optional.of(ending(end)), false, Fakes.dialect(calls), 0, 0);
    }

    /** Returns the estimator of a statement that may run inside commit groups. */
    private static LatencyEstimator fast(SharingPolicy policy) {
        LatencyEstimator latency = new LatencyEstimator(0, policy);
        for (int run = 0; run < policy.firstRuns(); run++) {
            latency.ran(0);
        }
        return latency;
    }

    private List<CommitMember> members(End end) {
        GroupCapabilities capabilities = capabilities(end);
        LatencyEstimator latency = fast(SharingPolicy.ALWAYS);
        return List.of(member(1, latency, capabilities), member(2, latency, capabilities));
    }

    private CommitMember member(int session, LatencyEstimator latency, GroupCapabilities capabilities) {
        return member(session, latency, capabilities, new Cancellation());
    }

    private CommitMember member(
            int session, LatencyEstimator latency, GroupCapabilities capabilities, Cancellation cancellation) {
        StatementRunner runner = new StatementRunner(
                new StatementState(null, null, null, null, null, cancellation), // unused parts
                Fakes.dialect(calls),
                () -> false);
        GroupedStatement statement = new GroupedStatement(
                (connection, whole) -> {
                    throw new AssertionError("it runs in its group");
                },
                latency,
                runner,
                capabilities,
                null,
                ClassifiedTexts.of("UPDATE account SET balance = 0", Classification.shareable(Set.of("account"))),
                Set.of("account"),
                List.of());
        return new GroupedCommit(
                workers,
                statement,
                new SessionTimeZone(Fakes.dialect(), ""),
                null,
                new Receipt(session, 1),
                new Answers());
    }

    private void assertRunAlone(List<CommitMember> members) throws SQLException {
        assertThat(calls.of("getConnection")).isEqualTo(1);
        for (CommitMember member : members) {
            assertThat(member.sealAndCommit()).contains(ALONE);
        }
        assertThat(calls.of("getConnection")).isEqualTo(3);
        assertThat(calls.of("execute")).isEqualTo(2);
    }

    @Test
    void shouldNotRunAMemberWhoseWaitWasGivenUp() throws SQLException {
        List<CommitMember> members = members(() -> {
            throw new AssertionError("the other statement runs alone");
        });
        GroupedCommit late = (GroupedCommit) members.get(0);
        assertThat(late.giveUp(new SQLException("it has waited", "53300"))).isTrue();
        assertThat(late.giveUp(new SQLException("again", "53300"))).isFalse();
        late.commitTogether(members);
        assertThatThrownBy(late::sealAndCommit).hasMessageContaining("given up");
        assertThatThrownBy(late::sealAndCommitAsOnlyMember).hasMessageContaining("given up");
        assertThat(members.get(1).sealAndCommit()).contains(ALONE);
        assertThat(((GroupedCommit) members.get(1)).giveUp(new SQLException("too late", "53300")))
                .as("its turn has come")
                .isFalse();
        assertThat(calls.of("execute")).isEqualTo(1);
    }

    @Test
    void shouldNotRunAgainAfterAnyFailureThatFollowsTheCommit() {
        List<CommitMember> members = members(() -> {
            throw new UnexpectedError();
        });
        assertThatThrownBy(() -> members.get(0).commitTogether(members)).isInstanceOf(UnexpectedError.class);
        for (CommitMember member : members) {
            assertThatThrownBy(member::sealAndCommit)
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("08007"));
        }
        assertThat(calls.of("getConnection")).isEqualTo(1);
        assertThat(calls.of("evict")).isEqualTo(1);
        members.get(0).published(new Scn(1)); // the master has found the commit
        assertThat(answers).containsExactly(List.of(new Outcome.Count(1)));
    }

    /** Its client would run it once more, too, if it learned of a rollback. */
    @Test
    void shouldNotRunAgainIfTheOutcomeIsUnknownAfterItWasBrokenOff() throws SQLException {
        List<CommitMember> members = members(() -> {
            throw new SQLException("broken off", "08006");
        });
        members.get(0).commitTogether(members);
        members.get(0).breakOff(new SQLException("too late", "57014"));
        members.get(0).unknown(new SQLException("not known", "08007"));
        members.get(1).breakOff(new SQLException("too late", "57014"));
        members.get(1).failed(new SQLException("rolled back", "40001"));
        assertThat(answers).containsExactly("08007", "outside");
    }

    @Test
    void shouldCommitTogether() throws SQLException {
        WriteSet first = new WriteSet(new Scn(1), List.of(), null, 10);
        WriteSet second = new WriteSet(new Scn(2), List.of(), null, 0);
        List<CommitMember> members = members(() -> List.of(first, second));
        members.get(0).commitTogether(members);
        assertThat(members.get(0).sealAndCommit()).contains(first);
        assertThat(members.get(1).sealAndCommit()).contains(second);
        assertThat(calls.of("getConnection")).isEqualTo(1);
        assertThat(calls.of("evict")).isZero();
        assertThat(calls.of("executeLargeBatch")).isEqualTo(1);
    }

    @Test
    void shouldRunAloneIfTheSealIsRefused() throws SQLException {
        List<CommitMember> members = members(() -> {
            throw new SQLException("code of users", "0A000");
        });
        members.get(0).commitTogether(members);
        assertThat(calls.of("rollback")).isEqualTo(1);
        assertThat(calls.of("evict")).isZero();
        assertRunAlone(members);
    }

    @Test
    void shouldForgetTheRowsOfAnExecutionThatIsUndone() {
        List<CommitMember> members = members(() -> {
            throw new SQLException("code of users", "0A000");
        });
        members.get(0).commitTogether(members);
        members.get(0).published(new Scn(1)); // committed alone, but the connection broke before the result
        assertThat(answers).containsExactly("MM001");
    }

    @Test
    void shouldRollBackIfAStatementFails() throws SQLException {
        List<CommitMember> members = members(() -> {
            throw new AssertionError("not reached");
        });
        calls.fail("executeLargeBatch", new SQLException("duplicate", "23505"));
        members.get(0).commitTogether(members);
        assertThat(calls.of("rollback")).isEqualTo(1);
        assertThat(calls.of("evict")).isZero();
        assertRunAlone(members);
    }

    /** Their waits would add up, and the transaction that holds the lock would commit only after all of them. */
    @Test
    void shouldNotLetEachMemberWaitForTheSameLock() {
        List<CommitMember> members = members(() -> {
            throw new AssertionError("not reached");
        });
        SQLException lock = new SQLException("canceling statement due to lock timeout", "55P03");
        calls.fail("executeLargeBatch", lock);
        calls.fail("execute", lock);
        members.get(0).commitTogether(members);
        for (CommitMember member : members) {
            assertThatThrownBy(member::sealAndCommit).isInstanceOfSatisfying(SQLException.class, member::failed);
        }
        assertThat(calls.of("execute")).isEqualTo(1);
        assertThat(answers).containsExactly("outside", "outside");
    }

    /** A shared statement cannot be canceled itself. */
    @Test
    void shouldNotRunAStatementAloneThatItsClientHasCanceledMeanwhile() throws SQLException {
        Cancellation cancellation = new Cancellation();
        cancellation.beginRequest(1);
        LatencyEstimator latency = fast(SharingPolicy.ALWAYS);
        GroupCapabilities capabilities = capabilities(() -> {
            throw new SQLException("code of users", "0A000");
        });
        CommitMember canceled = member(1, latency, capabilities, cancellation);
        CommitMember other = member(2, latency, capabilities);
        canceled.commitTogether(List.of(canceled, other));
        cancellation.request(1);
        assertThatThrownBy(canceled::sealAndCommit).isInstanceOfSatisfying(SQLException.class, canceled::failed);
        assertThat(other.sealAndCommit()).contains(ALONE);
        assertThat(calls.of("execute")).isEqualTo(1);
        assertThat(answers).containsExactly("57014");
    }

    /** A group has several shared transactions if it is large, or if its clients have different time zones. */
    @Test
    void shouldNotShareATextAgainWithinAGroupThatItHasDelayed() {
        List<CommitMember> members = new ArrayList<>();
        LatencyEstimator latency = fast(SharingPolicy.ADAPTIVE);
        for (int session = 1; session <= 200; session++) {
            members.add(member(session, latency, capabilities(() -> List.of())));
        }
        calls.fail("executeLargeBatch", new SQLException("canceling statement due to lock timeout", "55P03"));
        members.get(0).commitTogether(members);
        assertThat(calls.of("executeLargeBatch")).isEqualTo(1);
    }

    /** All members wait for the transaction, whose waits for several locks add up. */
    @Test
    void shouldCancelStatementsThatTakeTooLong() throws SQLException {
        List<CommitMember> members = members(() -> {
            throw new AssertionError("not reached");
        });
        calls.waitForCancel("executeLargeBatch");
        members.get(0).commitTogether(members);
        assertThat(calls.of("cancel")).isPositive();
        assertThat(calls.of("rollback")).isEqualTo(1);
        assertThat(calls.of("evict")).isZero();
        assertRunAlone(members);
    }

    /** The driver may have stopped between two messages. */
    @Test
    void shouldNotUseAConnectionAfterADefectOfItsDriver() throws SQLException {
        List<CommitMember> members = members(() -> {
            throw new AssertionError("not reached");
        });
        calls.fail("executeLargeBatch", new IllegalStateException("for this test"));
        members.get(0).commitTogether(members);
        assertThat(calls.of("rollback")).isZero();
        assertThat(calls.of("evict")).isEqualTo(1);
        assertRunAlone(members);
    }
}
