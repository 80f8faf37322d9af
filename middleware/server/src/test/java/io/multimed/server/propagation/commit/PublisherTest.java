// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.propagation.replication.SatelliteQueue;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The SCNs between the members of a group belong to transactions that bypassed the middleware, of any number. */
@Timeout(600)
class PublisherTest {
    private final SatelliteQueue queue = new SatelliteQueue(1 << 30, 1 << 30, () -> true);
    private final List<Integer> asked = new ArrayList<>();
    private final CriticalThreads criticalThreads = new CriticalThreads();

    /** Number of failures before the bypassing commits can be read. */
    private final AtomicInteger failures = new AtomicInteger();

    private static WriteSet writeSet(long scn) {
        return new WriteSet(new Scn(scn), List.of(), null, 10);
    }

    /** Stores WriteSets; each SCN without a member belongs to a transaction that bypassed the middleware. */
    private class Log implements TestDurability {
        private final List<Long> members;

        Log(List<Long> members) {
            this.members = members;
        }

        @Override
        public boolean isDurable(CommitGroup group) {
            return group.isDurable();
        }

        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("for this test");
            }
            List<WriteSet> found = LongStream.rangeClosed(after.value() + 1, upTo.value())
                    .filter(scn -> !members.contains(scn))
                    .limit(MAX_BYPASSING)
                    .mapToObj(PublisherTest::writeSet)
                    .toList();
            asked.add(found.size());
            return found;
        }
    }

    private record Member(Optional<WriteSet> changed, Scn bypassedUpTo, CompletableFuture<Scn> told)
            implements TestMember {
        static Member of(long scn) {
            return new Member(Optional.of(writeSet(scn)), Scn.ZERO, new CompletableFuture<>());
        }

        static Member announcing(long scn) {
            return new Member(Optional.empty(), new Scn(scn), new CompletableFuture<>());
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            return changed;
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

    private List<Long> publish(Member... members) throws Exception {
        List<Long> own = new ArrayList<>();
        for (Member member : members) {
            member.changed().ifPresent(writeSet -> own.add(writeSet.scn().value()));
        }
        try (Publisher publisher = new Publisher(Scn.ZERO, new Log(own), row -> List.of(), criticalThreads)) {
            publisher.attach(queue);
            publisher.start();
            CommitGroup group = new CommitGroup(1, List.of(members), failure -> false);
            for (int i = 0; i < members.length; i++) {
                group.commit(i);
            }
            publisher.enqueue(group);
            for (Member member : members) {
                member.told().get(60, TimeUnit.SECONDS);
            }
            return queue.take(Scn.ZERO, 0).writeSets().stream()
                    .map(writeSet -> writeSet.scn().value())
                    .toList();
        }
    }

    private static List<Long> upTo(long last) {
        return LongStream.rangeClosed(1, last).boxed().toList();
    }

    @Test
    void shouldPublishBypassingWriteSetsInOrderAndInBoundedPortions() throws Exception {
        Member late = Member.of(1_300);
        assertThat(publish(Member.of(700), late, Member.of(3))).isEqualTo(upTo(1_300));
        assertThat(late.told().get()).isEqualTo(new Scn(1_300));
        assertThat(asked).containsExactly(500, 500, 297);
    }

    @Test
    void shouldReadNothingWhenNoScnIsMissing() throws Exception {
        assertThat(publish(Member.of(2), Member.of(1))).isEqualTo(upTo(2));
        assertThat(asked).isEmpty();
    }

    @Test
    void shouldPublishAnnouncedScnsWithoutMembers() throws Exception {
        Member visit = Member.announcing(7);
        assertThat(publish(visit)).isEqualTo(upTo(7));
        assertThat(visit.told().get()).isEqualTo(new Scn(7));
    }

    /** Other threads release memory in the meantime. */
    @Test
    void shouldPublishWhenMemoryIsAvailableAgain() throws Exception {
        failures.set(3);
        Member visit = Member.announcing(2);
        assertThat(publish(visit)).isEqualTo(upTo(2));
        assertThat(visit.told().get()).isEqualTo(new Scn(2));
        assertThat(criticalThreads.reason()).isEmpty();
    }

    @Test
    void shouldReportTheFailureOfThePublisher() throws Exception {
        Durability broken = new Log(List.of()) {
            @Override
            public void makeDurable(List<CommitGroup> groups) {
                throw new OutOfMemoryError("for this test");
            }
        };
        try (Publisher publisher = new Publisher(Scn.ZERO, broken, row -> List.of(), criticalThreads)) {
            publisher.start();
            publisher.enqueue(new CommitGroup(1, List.of(Member.of(1)), failure -> false));
            assertThat(criticalThreads.failure().get(60, TimeUnit.SECONDS)).contains("publisher", "OutOfMemoryError");
        }
    }

    @Test
    void shouldReportAGroupThatCannotCommit() throws Exception {
        CommitMember lost = new TestMember() {
            @Override
            public void submit(Runnable work) {
                throw new OutOfMemoryError("for this test");
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
        };
        try (Publisher publisher = new Publisher(Scn.ZERO, new Log(List.of()), row -> List.of(), criticalThreads)) {
            GroupCommitOrder order = new GroupCommitOrder(10, false, publisher, failure -> true, criticalThreads);
            assertThatThrownBy(() -> order.commit(lost)).isInstanceOf(OutOfMemoryError.class);
            assertThat(criticalThreads.reason()).isPresent();
        }
    }

    /** A transaction of one client, whose commit is durable; records the thread that reports the commit. */
    private static final class DurableMember implements TestMember {
        private final long scn;
        private final CompletableFuture<Thread> reported = new CompletableFuture<>();

        DurableMember(long scn) {
            this.scn = scn;
        }

        @Override
        public Optional<WriteSet> sealAndCommit() {
            return Optional.of(writeSet(scn));
        }

        @Override
        public boolean isDurable() {
            return true;
        }

        @Override
        public void published(Scn published) {
            assertThat(published.value()).isEqualTo(scn);
            reported.complete(Thread.currentThread());
        }

        @Override
        public void failed(SQLException cause) {
            reported.completeExceptionally(cause);
        }

        Thread reporter() throws Exception {
            return reported.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    void shouldPublishOnTheThreadOfTheOnlyCommit() throws Exception {
        try (Publisher publisher = new Publisher(Scn.ZERO, new Log(List.of()), row -> List.of(), criticalThreads)) {
            publisher.attach(queue);
            publisher.start();
            GroupCommitOrder order = new GroupCommitOrder(10, false, publisher, failure -> true, criticalThreads);
            DurableMember first = new DurableMember(1);
            order.commit(first);
            assertThat(first.reporter()).isSameAs(Thread.currentThread());
            assertThat(publisher.published()).isEqualTo(new Scn(1));
            Member notDurable = Member.of(2);
            order.commit(notDurable);
            assertThat(notDurable.told().get(60, TimeUnit.SECONDS)).isEqualTo(new Scn(2));
            DurableMember afterGap = new DurableMember(4);
            order.commit(afterGap);
            assertThat(afterGap.reporter()).as("reads what has bypassed").isNotSameAs(Thread.currentThread());
            assertThat(queue.take(Scn.ZERO, 0).upTo()).isEqualTo(new Scn(4));
        }
    }

    @Test
    void shouldPublishInOrderWhileAnotherGroupIsMadeDurable() throws Exception {
        CountDownLatch onDisk = new CountDownLatch(1);
        Durability slow = new Log(List.of()) {
            @Override
            public void makeDurable(List<CommitGroup> groups) {
                try {
                    onDisk.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };
        try (Publisher publisher = new Publisher(Scn.ZERO, slow, row -> List.of(), criticalThreads)) {
            publisher.attach(queue);
            publisher.start();
            GroupCommitOrder order = new GroupCommitOrder(10, false, publisher, failure -> true, criticalThreads);
            Member notDurable = Member.of(1);
            order.commit(notDurable);
            DurableMember durable = new DurableMember(2);
            order.commit(durable);
            assertThat(durable.reported).as("an earlier group is not published").isNotDone();
            assertThat(publisher.published()).isEqualTo(Scn.ZERO);
            onDisk.countDown();
            assertThat(durable.reporter()).isNotSameAs(Thread.currentThread());
            assertThat(notDurable.told()).isDone();
            assertThat(publisher.published()).isEqualTo(new Scn(2));
        }
    }

    @Test
    void shouldPublishTheGroupOfAThreadThatIsInterrupted() throws Exception {
        SatelliteQueue full = new SatelliteQueue(1, 1 << 30, () -> true);
        full.put(List.of(writeSet(1)), new Scn(1));
        try (Publisher publisher = new Publisher(new Scn(1), new Log(List.of()), row -> List.of(), criticalThreads)) {
            publisher.attach(full);
            publisher.start();
            GroupCommitOrder order = new GroupCommitOrder(10, false, publisher, failure -> true, criticalThreads);
            DurableMember member = new DurableMember(2);
            Thread.currentThread().interrupt();
            order.commit(member);
            assertThat(Thread.interrupted()).as("the interruption is kept").isTrue();
            assertThat(member.reporter()).isNotSameAs(Thread.currentThread());
            DurableMember next = new DurableMember(3);
            order.commit(next);
            next.reporter();
            assertThat(publisher.published()).isEqualTo(new Scn(3));
        }
    }

    @Test
    void shouldSplitAGroupAtABypassingTransaction() {
        List<AtomicBatch> units = AtomicBatch.merge(
                List.of(writeSet(1), writeSet(2), writeSet(5), writeSet(6)), List.of(writeSet(3), writeSet(4)));
        assertThat(units).extracting(unit -> unit.end().value()).containsExactly(2L, 3L, 4L, 6L);
    }
}
