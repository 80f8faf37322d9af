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
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The outcomes of the members of a group after the connection of one of them broke. */
class OutcomeTest {
    private final List<String> told = new ArrayList<>();

    private final class Member implements TestMember {
        private final int number;
        private final boolean breaks;

        Member(int number, boolean breaks) {
            this.number = number;
            this.breaks = breaks;
        }

        @Override
        public Optional<WriteSet> sealAndCommit() throws SQLException {
            if (breaks) {
                throw new SQLException("broken", "08006");
            }
            return Optional.of(WriteSet.inLog(false));
        }

        @Override
        public Receipt receipt() {
            return new Receipt(7, number);
        }

        @Override
        public void published(Scn scn) {
            told.add(number + " committed");
        }

        @Override
        public void failed(SQLException cause) {
            told.add(number + " " + cause.getSQLState());
        }

        @Override
        public void unknown(SQLException cause) {
            told.add(number + " unknown");
        }
    }

    private CommitGroup group() {
        CommitGroup group = new CommitGroup(1, List.of(new Member(1, false), new Member(2, true)), failure -> true);
        group.commit(0);
        group.commit(1);
        return group;
    }

    private List<String> told(CommitGroup group) {
        group.placeInLog(new Scn(100));
        group.notifications((action, lost) -> action.run(), () -> new Scn(100)).forEach(Runnable::run);
        return told;
    }

    @Test
    void shouldTellThatACommitHasReturnedAlthoughAnotherOneIsInDoubt() {
        CommitGroup group = group();
        MasterLog.resolve(group, Map.of(), false, false);
        assertThat(told(group)).containsExactly("1 committed", "2 unknown");
    }

    /** The crash may have undone what was not on disk. */
    @Test
    void shouldNotKnowAnyOutcomeAfterACrashWithoutReceipts() {
        CommitGroup group = group();
        MasterLog.resolve(group, Map.of(), false, true);
        assertThat(told(group)).containsExactly("1 unknown", "2 unknown");
    }

    @Test
    void shouldTellTheOutcomesOfReceipts() {
        CommitGroup group = group();
        MasterLog.resolve(group, Map.of(new Receipt(7, 1), WriteSet.inLog(false)), true, false);
        assertThat(told(group)).containsExactly("1 committed", "2 40001");
    }

    @Test
    void shouldTellOfACommitThatACrashHasUndone() {
        CommitGroup group = group();
        MasterLog.resolve(group, Map.of(new Receipt(7, 2), WriteSet.inLog(false)), true, true);
        assertThat(told(group)).containsExactly("1 40001", "2 committed");
    }
}
