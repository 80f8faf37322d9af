// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Members that commit together have their WriteSets read together, after the commit. */
class CommitGroupTest {
    private final List<String> calls = new ArrayList<>();

    private static WriteSet writeSet(long scn) {
        return new WriteSet(new Scn(scn), List.of(), null, 10);
    }

    private final class Member implements TestMember {
        private final long scn;

        /** @param scn 0 if the member changes nothing */
        Member(long scn) {
            this.scn = scn;
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            calls.add("told " + scn);
            return Optional.of(writeSet(scn));
        }

        @Override
        public boolean mayCommitUnread() {
            return true;
        }

        @Override
        public boolean commitUnread() throws SQLException {
            calls.add("unread " + scn);
            return scn > 0;
        }

        @Override
        public void writeSetRead(WriteSet writeSet) {
            calls.add("found " + writeSet.scn().value());
        }

        @Override
        public Receipt receipt() {
            return new Receipt(1, (int) scn);
        }

        @Override
        public void published(Scn scn) {}

        @Override
        public void failed(SQLException cause) {}
    }

    @Test
    void shouldReturnTheWriteSetOfASingleMemberAtItsCommit() {
        CommitGroup group = new CommitGroup(1, List.of(new Member(7)), failure -> false);
        assertThat(group.commit(0)).isTrue();
        assertThat(group.hasUnread()).isFalse();
        assertThat(group.writeSets()).containsExactly(writeSet(7));
        assertThat(calls).containsExactly("told 7");
    }

    @Test
    void shouldLeaveWriteSetsOfSeveralMembersUntilTheyAreRead() {
        CommitGroup group = new CommitGroup(1, List.of(new Member(8), new Member(0), new Member(7)), failure -> false);
        assertThat(group.commit(0)).isFalse();
        assertThat(group.commit(1)).isFalse();
        assertThat(group.commit(2)).isTrue();
        assertThat(group.isUnread(0)).isTrue();
        assertThat(group.changedNothing(1)).isTrue();
        group.resolve(0, writeSet(8));
        assertThat(group.hasUnread()).isTrue();
        group.resolve(2, writeSet(7));
        assertThat(group.hasUnread()).isFalse();
        assertThat(group.writeSets()).containsExactly(writeSet(7), writeSet(8));
        assertThat(calls).containsExactly("unread 8", "unread 0", "unread 7", "found 8", "found 7");
    }

    /** A member that waits for the disk if it is the only one of its group. */
    private record Waiting(long scn, AtomicBoolean waited) implements TestMember {
        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.of(writeSet(scn));
        }

        @Override
        public Optional<WriteSet> sealAndCommitAsOnlyMember() {
            waited.set(true);
            return sealAndCommit();
        }

        @Override
        public boolean isDurable() {
            return waited.get();
        }

        @Override
        public Receipt receipt() {
            return new Receipt(1, (int) scn);
        }

        @Override
        public void published(Scn scn) {}

        @Override
        public void failed(SQLException cause) {}
    }

    @Test
    void shouldLetOnlyASingleMemberWaitForTheDisk() {
        CommitGroup single = new CommitGroup(1, List.of(new Waiting(7, new AtomicBoolean())), failure -> false);
        single.commit(0);
        assertThat(single.isDurable()).isTrue();
        CommitGroup several = new CommitGroup(
                2, List.of(new Waiting(8, new AtomicBoolean()), new Waiting(9, new AtomicBoolean())), failure -> false);
        several.commit(0);
        several.commit(1);
        assertThat(several.isDurable()).isFalse();
    }

    @Test
    void shouldLoseNothingWithAMemberThatDidNotCommit() {
        CommitGroup group = new CommitGroup(1, List.of(new Waiting(7, new AtomicBoolean())), failure -> true);
        group.commit(0);
        group.markNotCommitted(0, LostCommits.error());
        assertThat(group.hasLost()).isFalse();
        assertThat(group.failure(0)).isNotNull();
        assertThat(group.writeSet(0)).isNull();
        group.markLost(0, LostCommits.error());
        assertThat(group.hasLost()).isTrue();
    }

    /** A crash that has undone other commits does not tell whether this one has happened. */
    @Test
    void shouldReportAnUnknownOutcomeAsUnknownAfterALoss() {
        List<String> states = new ArrayList<>();
        CommitMember member = new TestMember() {
            @Override
            public Optional<WriteSet> sealAndCommit() throws SQLException {
                throw new SQLException("broken", "08006");
            }

            @Override
            public void published(Scn scn) {}

            @Override
            public void failed(SQLException cause) {
                states.add(cause.getSQLState());
            }
        };
        CommitGroup group = new CommitGroup(1, List.of(member, member), failure -> true);
        group.commit(0);
        group.commit(1);
        group.markUnknown(0, LostCommits.unknown(), true);
        group.markLost(1, LostCommits.error());
        VisibilityBarrier lost = (action, undone) -> undone.run();
        group.notifications(lost, () -> Scn.ZERO).forEach(Runnable::run);
        assertThat(states).containsExactly("08007", "40001");
    }

    /** A statement that shares a transaction with others. */
    private record Sharing(@Nullable String role, boolean sharesWithAll) implements TestMember {
        @Override
        public boolean sharesTransaction() {
            return true;
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.empty();
        }

        @Override
        public void published(Scn scn) {}

        @Override
        public void failed(SQLException cause) {}
    }

    private static List<List<Integer>> parts(boolean withAll, @Nullable String... roles) {
        List<CommitMember> members = new ArrayList<>();
        for (String role : roles) {
            members.add(new Sharing(role, withAll));
        }
        return new CommitGroup(1, members, failure -> true).parts();
    }

    @Test
    void shouldRunSharedTransactionsOfSeveralRolesOneAfterTheOther() {
        assertThat(parts(true, null, null)).containsExactly(List.of(0, 1));
        assertThat(parts(true, "a", "b", null, "a", "c", null))
                .containsExactly(List.of(0, 2, 3, 5), List.of(1), List.of(4));
    }

    @Test
    void shouldNotShareATransactionBetweenRoles() {
        assertThat(parts(false, "a", null, "b", "a", null)).containsExactly(List.of(0, 3), List.of(1, 4), List.of(2));
    }
}
