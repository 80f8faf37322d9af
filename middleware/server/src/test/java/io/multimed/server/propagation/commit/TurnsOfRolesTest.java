// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A role with many statements has a limited number of them in each commit group. */
class TurnsOfRolesTest {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private final List<List<@Nullable String>> groups = new ArrayList<>();

    /** Commits when the test lets it. */
    private record Member(@Nullable String role, Deque<Runnable> waiting) implements TestMember {
        @Override
        public void submit(Runnable work) {
            waiting.add(work);
        }

        @Override
        public boolean runsOnAnyThread() {
            return false;
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

    private final class Groups implements GroupCommitOrder.Committed {
        @Override
        public void enqueue(CommitGroup group) {
            List<@Nullable String> roles = new ArrayList<>();
            for (int i = 0; i < group.size(); i++) {
                roles.add(group.member(i).role());
            }
            groups.add(roles);
        }

        @Override
        public boolean claim(CommitGroup group) {
            return false;
        }

        @Override
        public void publishClaimed(CommitGroup group) {}

        @Override
        public void whenPublished(long group, Runnable action) {}

        @Override
        public Scn awaitPublished(long group) {
            return Scn.ZERO;
        }
    }

    private static long count(List<@Nullable String> group, String role) {
        return group.stream().filter(role::equals).count();
    }

    @Test
    void shouldLetOtherRolesTakeTheirTurn() {
        GroupCommitOrder order =
                new GroupCommitOrder(1_000, false, new Groups(), failure -> true, new CriticalThreads());
        order.commit(new Member(null, waiting)); // the others gather meanwhile
        for (int i = 0; i < 150; i++) {
            order.commit(new Member("flood", waiting));
        }
        order.commit(new Member("other", waiting));
        for (int i = 0; i < 70; i++) {
            order.commit(new Member(null, waiting));
        }
        while (!waiting.isEmpty()) {
            waiting.remove().run();
        }
        assertThat(groups.stream().map(List::size)).containsExactly(1, 64 + 1 + 70, 64, 22);
        assertThat(count(groups.get(1), "flood")).isEqualTo(64);
        assertThat(count(groups.get(1), "other")).isEqualTo(1);
    }
}
