// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Positions in the log as SCNs: they never go back, and no commit gets one before its own. */
@Timeout(60)
class PositionInLogTest {
    private final CriticalThreads critical = new CriticalThreads();

    /** As MasterLog: the position on disk is taken from a script. */
    private static final class Disk implements TestDurability {
        final LinkedBlockingQueue<Long> positions = new LinkedBlockingQueue<>();

        @Override
        public void makeDurable(List<CommitGroup> groups) {
            try {
                MasterLog.placeInLog(groups, new Scn(positions.take()));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public boolean isDurable(CommitGroup group) {
            return false;
        }

        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            return List.of();
        }
    }

    private record Member(CompletableFuture<Scn> told) implements TestMember {
        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.of(WriteSet.inLog(false));
        }

        @Override
        public void published(Scn scn) {
            told.complete(scn);
        }

        @Override
        public void failed(SQLException cause) {
            told.completeExceptionally(cause);
        }
    }

    private static CommitGroup group(long number, CommitMember... members) {
        CommitGroup group = new CommitGroup(number, List.of(members), failure -> false);
        for (int i = 0; i < members.length; i++) {
            group.commit(i);
        }
        return group;
    }

    private static BypassCommitMember bypass(long last, Runnable told) {
        Executor here = Runnable::run;
        return new BypassCommitMember(
                new Scn(last),
                Optional.of(WriteSet.inLog(false)),
                here,
                List.of(new BypassMonitor.Request(told, () -> {}, false, 0, System.nanoTime())));
    }

    /** The monitor reads 1000; then a commit gets position 1500 on disk; its group is published first, alone. */
    @Test
    void shouldNotGoBackForDirectCommits() throws Exception {
        Disk disk = new Disk();
        try (Publisher publisher = new Publisher(new Scn(900), disk, row -> List.of(), critical)) {
            publisher.start();
            Member commit = new Member(new CompletableFuture<>());
            disk.positions.add(1500L);
            publisher.enqueue(group(1, commit));
            commit.told().get(10, TimeUnit.SECONDS);
            assertThat(publisher.published()).isEqualTo(new Scn(1500));
            CompletableFuture<Scn> told = new CompletableFuture<>();
            disk.positions.add(1500L);
            publisher.enqueue(group(2, bypass(1000, () -> told.complete(publisher.published()))));
            assertThat(told.get(10, TimeUnit.SECONDS))
                    .as("published SCN after group 2")
                    .isEqualTo(new Scn(1500));
        }
    }

    /** Both groups are taken at once: the commit at 1500 must not get an SCN before 1000. */
    @Test
    void shouldPlaceACommitBehindEarlierDirectCommits() throws Exception {
        Disk disk = new Disk();
        Member commit = new Member(new CompletableFuture<>());
        List<CommitGroup> groups = new ArrayList<>();
        groups.add(group(1, commit)); // its COMMIT record is between 1000 and 1500
        groups.add(group(2, bypass(1000, () -> {})));
        disk.positions.add(1500L);
        disk.makeDurable(groups);
        assertThat(groups.get(0).writeSet(0).scn().value())
                .as("SCN of the commit")
                .isGreaterThan(1000);
    }
}
