// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FailingMemberTest {
    /** A member that fails with the given exception. */
    private record Member(Class<? extends Throwable> failure) implements TestMember {
        @Override
        public Optional<WriteSet> sealAndCommit() throws SQLException {
            if (failure == StackOverflowError.class) {
                throw new StackOverflowError();
            } else if (failure == NoClassDefFoundError.class) {
                throw new NoClassDefFoundError("gone");
            } else if (failure == SQLException.class) {
                throw new SQLException("no", "40001");
            }
            return Optional.empty();
        }

        @Override
        public void published(Scn scn) {
            throw new AssertionError("nothing is published here");
        }

        @Override
        public void failed(SQLException cause) {
            throw new AssertionError("nobody is told here");
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {StackOverflowError.class, NoClassDefFoundError.class, SQLException.class})
    void shouldNotWaitForeverForAMemberThatFails(Class<? extends Throwable> failure) {
        CommitGroup group =
                new CommitGroup(1, List.of(new Member(failure), new Member(Throwable.class)), cause -> false);

        assertThat(group.commit(0)).isFalse();
        assertThat(group.commit(1)).isTrue();

        assertThat(group.failure(0)).isNotNull();
        assertThat(group.failure(1)).isNull();
        assertThat(group.changedNothing(1)).isTrue();
        assertThat(group.isDurable()).isTrue();
    }

    /**
     * A member that shares a transaction with other members; the transaction fails before any member has its result.
     */
    private record Sharing() implements TestMember {
        @Override
        public boolean sharesTransaction() {
            return true;
        }

        @Override
        public void commitTogether(List<CommitMember> members) {
            throw new NoClassDefFoundError("gone");
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            throw new NullPointerException("not told");
        }

        @Override
        public void published(Scn scn) {
            throw new AssertionError("nothing is published here");
        }

        @Override
        public void failed(SQLException cause) {
            throw new AssertionError("nobody is told here");
        }
    }

    @Test
    void shouldNotWaitForeverForMembersThatShareATransaction() {
        CommitGroup group = new CommitGroup(
                1, List.of(new Sharing(), new Member(Throwable.class), new Sharing()), failure -> false);
        List<List<Integer>> parts = group.parts();

        assertThat(parts).containsExactly(List.of(0, 2), List.of(1));
        assertThat(group.commit(parts.get(0))).isFalse();
        assertThat(group.commit(parts.get(1))).isTrue();
        assertThat(group.failure(0)).hasMessage("not told");
        assertThat(group.failure(2)).hasMessage("not told");
    }

    @Test
    void shouldReportErrorsOfTheVirtualMachine() {
        CommitGroup group = new CommitGroup(1, List.of(new Member(NoClassDefFoundError.class)), failure -> false);
        group.commit(0);
        assertThat(group.failure(0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("NoClassDefFoundError: gone");
    }
}
