// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.propagation.replication.SatelliteQueue.FellBehindException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowingConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A queue without a reader discards its groups: the queue neither grows without limit nor blocks the writers. */
@Timeout(600)
class SatelliteQueueTest {
    private static final int SIZE = 1_000;

    private final SatelliteQueue queue = new SatelliteQueue(10L * SIZE, 20L * SIZE, () -> true);
    private final AtomicBoolean isRead = new AtomicBoolean();

    private void put(int scn) {
        queue.put(List.of(new WriteSet(new Scn(scn), List.of(), null, SIZE)), new Scn(scn));
    }

    @Test
    void shouldDeliverGroupsInOrder() throws Exception {
        for (int i = 1; i <= 5; i++) {
            put(i);
        }
        SatelliteQueue.Batch batch = queue.take(Scn.ZERO, 0);
        assertThat(batch.upTo()).isEqualTo(new Scn(5));
        assertThat(batch.writeSets())
                .extracting(writeSet -> writeSet.scn().value())
                .containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(queue.take(new Scn(5), 0).upTo()).isEqualTo(new Scn(5));
    }

    @Test
    void shouldDiscardAllGroupsBeyondItsLimitAndReportIt() throws Exception {
        for (int i = 1; i <= 10_000; i++) {
            put(i);
        }
        assertThat(queue.age()).as("nothing waits").isZero();
        queue.awaitRoom(10_000);
        assertThatThrownBy(() -> queue.take(Scn.ZERO, 0))
                .isInstanceOf(FellBehindException.class)
                .hasMessageContaining("queue.drop-after");
    }

    @Test
    void shouldDropInsteadOfSlowingDownIfCommitsMustNotWait() throws Exception {
        Satellite.QueueLimits limits = new Satellite.QueueLimits(10L * SIZE, 20L * SIZE).withoutWaiting();
        SatelliteQueue remote = new SatelliteQueue(limits.bound(), limits.dropAfter(), () -> true);
        for (int i = 1; i <= 100; i++) {
            remote.put(List.of(new WriteSet(new Scn(i), List.of(), null, SIZE)), new Scn(i));
            remote.awaitRoom(Long.MAX_VALUE); // never returns if commits wait for room
        }
        assertThatThrownBy(() -> remote.take(Scn.ZERO, 0)).isInstanceOf(FellBehindException.class);
    }

    /** Takes a batch on another thread, which gathers groups until {@code end} runs; returns the last SCN taken. */
    private long gather(ThrowingConsumer<SatelliteQueue> end) throws Throwable {
        SatelliteQueue gathering = new SatelliteQueue(40L * SIZE, 100L * SIZE, isRead::get, TimeUnit.HOURS.toNanos(1));
        gathering.put(List.of(), new Scn(1));
        CompletableFuture<Long> taken = new CompletableFuture<>();
        Thread applier = new Thread(() -> {
            try {
                taken.complete(gathering.take(Scn.ZERO, 60_000).upTo().value());
            } catch (InterruptedException | FellBehindException e) {
                taken.completeExceptionally(e);
            }
        });
        applier.start();
        await("the applier gathers", () -> applier.getState() == Thread.State.TIMED_WAITING);
        gathering.put(List.of(), new Scn(2));
        assertThat(taken).as("taken while the applier gathers").isNotDone();
        end.accept(gathering);
        return taken.get(60, TimeUnit.SECONDS);
    }

    private static void await(String what, BooleanSupplier condition) {
        for (long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
                !condition.getAsBoolean();
                Thread.onSpinWait()) {
            assertThat(System.nanoTime()).as(what).isLessThan(end);
        }
    }

    @Test
    void shouldGatherGroupsUntilAClientReads() throws Throwable {
        ReadDemand demand = new ReadDemand(() -> {});
        assertThat(demand.isRecent()).isFalse();
        assertThat(gather(queue -> {
                    isRead.set(true);
                    queue.applyNow();
                }))
                .isEqualTo(2);
    }

    @Test
    void shouldGatherGroupsUntilTheyAreMany() throws Throwable {
        assertThat(gather(queue -> {
                    for (int i = 3; i <= 300; i++) {
                        queue.put(List.of(), new Scn(i));
                    }
                }))
                .as("taken when the groups exceed the limit in bytes")
                .isBetween(50L, 300L);
        assertThat(gather(
                        queue -> queue.put(List.of(new WriteSet(new Scn(3), List.of(), null, 50 * SIZE)), new Scn(3))))
                .isEqualTo(3);
    }

    @Test
    void shouldNotGatherBeyondAStop() throws Throwable {
        assertThat(gather(queue -> queue.stopAt(new Scn(2), () -> {}))).isEqualTo(2);
    }

    @Test
    void shouldNotifyTheApplierThatGathersWhenItsGroupsAreDiscarded() {
        assertThatThrownBy(() -> gather(SatelliteQueue::drop)).hasCauseInstanceOf(FellBehindException.class);
    }

    @Test
    void shouldHurryTheAppliersAtTheFirstReadOnly() {
        AtomicInteger hurries = new AtomicInteger();
        ReadDemand demand = new ReadDemand(hurries::incrementAndGet);
        demand.note();
        assertThat(demand.isRecent()).isTrue();
        assertThat(hurries).hasValue(1);
    }
}
