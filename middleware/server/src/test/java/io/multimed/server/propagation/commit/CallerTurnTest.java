// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.task.CallingThread;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The thread of a client commits the group behind its own one only as long as it would wait otherwise. */
@Timeout(60)
class CallerTurnTest {
    private final CriticalThreads critical = new CriticalThreads();
    private final CallingThread calling = new CallingThread();

    /** A member that notes the thread that commits it. */
    private final class Member implements TestMember {
        private final Runnable before;
        private final boolean runsCode;
        private final CompletableFuture<Thread> committed = new CompletableFuture<>();

        Member(boolean runsCode, Runnable before) {
            this.runsCode = runsCode;
            this.before = before;
        }

        @Override
        public boolean runsOnAnyThread() {
            return true;
        }

        @Override
        public boolean mayRunCode() {
            return runsCode;
        }

        @Override
        public void submit(Runnable work) {
            new Thread(work, "of-the-member").start();
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            before.run();
            committed.complete(Thread.currentThread());
            return Optional.empty();
        }

        @Override
        public void published(Scn scn) {}

        @Override
        public void failed(SQLException cause) {}
    }

    private Thread committerOf(Member next, Runnable asLast) throws Exception {
        TestDurability disk = new TestDurability() {
            @Override
            public List<WriteSet> readBypassing(Scn after, Scn upTo) {
                return List.of();
            }
        };
        try (Publisher publisher = new Publisher(Scn.ZERO, disk, row -> List.of(), critical)) {
            publisher.start();
            GroupCommitOrder order = new GroupCommitOrder(16, true, publisher, failure -> false, critical);
            Member first = new Member(false, () -> {
                order.commit(next);
                asLast.run();
            });
            calling.call(() -> {
                order.commit(first);
                calling.answered();
            });
            assertThat(first.committed.get(30, TimeUnit.SECONDS)).isSameAs(Thread.currentThread());
            return next.committed.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldCommitTheNextGroupWhileItWaits() throws Exception {
        Member next = new Member(false, () -> {});
        assertThat(committerOf(next, () -> {})).isSameAs(Thread.currentThread());
    }

    @ParameterizedTest
    @ValueSource(strings = {"answered", "has a task", "code of users"})
    void shouldHandTheNextGroupOver(String why) throws Exception {
        Member next = new Member(why.equals("code of users"), () -> {});
        Thread committer = committerOf(next, () -> {
            if (why.equals("answered")) {
                calling.answered();
            } else if (why.equals("has a task")) {
                calling.offer(() -> {});
            }
        });
        assertThat(committer.getName()).isEqualTo("of-the-member");
    }
}
