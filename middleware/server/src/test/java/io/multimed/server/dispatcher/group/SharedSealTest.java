// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No failure lets a statement run again after its COMMIT may have been sent. */
class SharedSealTest {
    private static final WriteSet FIRST = new WriteSet(new Scn(1), List.of(), null, 10);
    private static final WriteSet SECOND = new WriteSet(new Scn(2), List.of(), null, 0);

    private final List<Statement> members = List.of(new Statement(1), new Statement(2));
    private final Fakes.Calls calls = new Fakes.Calls();
    private final Connection connection = Fakes.connection(calls);
    private final ErrorClassifier errors = Fakes.dialect().errors();

    /** A failure of a class that no part of the middleware expects. */
    private static final class UnexpectedError extends Error {
        private static final long serialVersionUID = 1;
    }

    private static final class Statement implements SharedSeal.Member {
        private static final String NONE = "none";
        private static final String COMMITTED = "committed";
        private static final String UNKNOWN = "unknown";

        private final int number;
        private String outcome = NONE;
        private @Nullable WriteSet writeSet;

        Statement(int number) {
            this.number = number;
        }

        @Override
        public Receipt receipt() {
            return new Receipt(number, number);
        }

        @Override
        public void commitBegins() {
            outcome = UNKNOWN;
        }

        @Override
        public void committed(@Nullable WriteSet changes) {
            writeSet = changes;
            outcome = COMMITTED;
        }

        @Override
        public void undone() {
            outcome = NONE;
        }

        @Override
        public void failedShared(SQLException cause) {
            outcome = cause.getSQLState().equals(SharedSeal.OUTCOME_UNKNOWN) ? UNKNOWN : cause.toString();
        }
    }

    /** Ends the transaction in one of several ways. */
    @FunctionalInterface
    private interface End {
        List<WriteSet> run(SessionFate fate) throws SQLException;
    }

    private SharedSeal seal(End end) {
        SharedCommit commit = new Fakes.Commit() {
            @Override
            public List<WriteSet> sealAndCommit(
                    Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate) throws SQLException {
                assertThat(receipts).containsExactly(new Receipt(1, 1), new Receipt(2, 2));
                assertThat(tables).containsExactly("account");
                assertOutcomes(Statement.UNKNOWN);
                return end.run(fate);
            }
        };
        return new SharedSeal(commit, errors, connection, members);
    }

    private void assertOutcomes(String expected) {
        assertThat(members).extracting(member -> member.outcome).containsOnly(expected);
    }

    @Test
    void shouldReportItsWriteSetToEachMember() {
        SharedSeal seal = seal(fate -> List.of(FIRST, SECOND));
        assertThat(seal.seal(Set.of("account"))).isEqualTo(SharedSeal.Result.COMMITTED);
        assertThat(seal.leavesConnectionUsable()).isTrue();
        assertThat(seal.changes()).isSameAs(FIRST);
        assertOutcomes(Statement.COMMITTED);
        assertThat(members).extracting(member -> member.writeSet).containsExactly(FIRST, SECOND);
    }

    /** No COMMIT was sent: nothing is in doubt, even if the connection has broken. */
    @ParameterizedTest
    @ValueSource(strings = {"0A000", "08006"})
    void shouldUndoWhatMustNotShare(String state) {
        SharedCommit commit = new Fakes.Commit() {
            @Override
            public void check(Connection open, int statements, Set<String> tables) throws SQLException {
                assertThat(statements).isEqualTo(2);
                assertOutcomes(Statement.NONE);
                throw new SQLException("refused", state);
            }

            @Override
            public List<WriteSet> sealAndCommit(
                    Connection open, List<Receipt> receipts, Set<String> tables, SessionFate fate) {
                throw new AssertionError("not reached");
            }
        };
        SharedSeal seal = new SharedSeal(commit, errors, connection, members);
        assertThat(seal.seal(Set.of("account"))).isEqualTo(SharedSeal.Result.UNDONE);
        assertThat(seal.leavesConnectionUsable()).isEqualTo(state.equals("0A000"));
        assertOutcomes(Statement.NONE);
    }

    @Test
    void shouldReportNoWriteSetIfNothingHasChanged() {
        SharedSeal seal = seal(fate -> List.of());
        assertThat(seal.seal(Set.of("account"))).isEqualTo(SharedSeal.Result.COMMITTED);
        assertThat(seal.changes()).isNull();
        assertOutcomes(Statement.COMMITTED);
        assertThat(members).extracting(member -> member.writeSet).containsOnlyNulls();
    }

    @Test
    void shouldLeaveTheMembersWithoutOutcomeWhileTheTransactionIsOpen() {
        SharedSeal seal = seal(fate -> List.of());
        assertThat(seal.seal(() -> {
                    assertOutcomes(Statement.UNKNOWN);
                    return Optional.empty();
                }))
                .isEqualTo(SharedSeal.Result.OPEN);
        assertThat(seal.leavesConnectionUsable()).isTrue();
        assertOutcomes(Statement.NONE);
    }

    @Test
    void shouldNotReturnASessionWithStateOfAClient() {
        SharedSeal seal = seal(fate -> {
            fate.hold();
            return List.of(FIRST, SECOND);
        });
        assertThat(seal.seal(Set.of("account"))).isEqualTo(SharedSeal.Result.COMMITTED);
        assertThat(seal.leavesConnectionUsable()).isFalse();
    }

    @Test
    void shouldLetMembersRunAgainAfterAConfirmedRollback() {
        SharedSeal seal = seal(fate -> {
            throw new SQLException("no", "0A000");
        });
        assertThat(seal.seal(Set.of("account"))).isEqualTo(SharedSeal.Result.UNDONE);
        assertThat(seal.leavesConnectionUsable()).isTrue();
        assertThat(calls.of("rollback")).isEqualTo(1);
        assertOutcomes(Statement.NONE);
    }

    @Test
    void shouldNotKnowTheOutcomeIfTheRollbackFails() {
        calls.fail("rollback", new SQLException("no", "XX000"));
        assertUnknown(seal(fate -> {
            throw new SQLException("no", "0A000");
        }));
    }

    @Test
    void shouldNotKnowTheOutcomeIfTheRollbackFailsUnexpectedly() {
        calls.fail("rollback", new IllegalStateException("for this test"));
        assertUnknown(seal(fate -> {
            throw new SQLException("no", "0A000");
        }));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotKnowTheOutcomeIfTheConnectionBreaks(boolean reported) {
        assertUnknown(seal(fate -> {
            calls.close();
            throw new SQLException("no", reported ? "08006" : "XX000");
        }));
        assertThat(calls.of("rollback")).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                IllegalStateException.class,
                OutOfMemoryError.class,
                NoClassDefFoundError.class,
                AssertionError.class
            })
    void shouldNotKnowTheOutcomeAfterADefect(Class<? extends Throwable> defect) throws Exception {
        Throwable failure = defect.getDeclaredConstructor().newInstance();
        assertUnknown(seal(fate -> {
            if (failure instanceof RuntimeException e) {
                throw e;
            }
            throw (Error) failure;
        }));
        assertThat(calls.of("rollback")).isZero();
    }

    @Test
    void shouldNotKnowTheOutcomeIfWriteSetsAreMissing() {
        assertUnknown(seal(fate -> List.of(FIRST)));
    }

    @Test
    void shouldNotKnowTheOutcomeAfterAFailureOfAnyOtherClass() {
        SharedSeal seal = seal(fate -> {
            throw new UnexpectedError();
        });
        assertThatThrownBy(() -> seal.seal(Set.of("account"))).isInstanceOf(UnexpectedError.class);
        assertThat(seal.leavesConnectionUsable()).isFalse();
        assertOutcomes(Statement.UNKNOWN);
    }

    private void assertUnknown(SharedSeal seal) {
        assertThat(seal.seal(Set.of("account"))).isEqualTo(SharedSeal.Result.UNKNOWN);
        assertThat(seal.leavesConnectionUsable()).isFalse();
        assertOutcomes(Statement.UNKNOWN);
    }
}
