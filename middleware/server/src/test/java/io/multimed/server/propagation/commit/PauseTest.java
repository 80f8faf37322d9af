// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A pause of the commit order that is given up lets the commits go on that have waited for it. */
@Timeout(60)
class PauseTest {
    private static final int ROUNDS = 2_000;

    private final CriticalThreads critical = new CriticalThreads();

    private record Member(CompletableFuture<Void> mayCommit, CompletableFuture<Scn> told) implements TestMember {
        @Override
        public Optional<WriteSet> sealAndCommit() {
            mayCommit.join();
            return Optional.empty();
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

    /** Nothing bypasses the middleware. */
    private static final class Disk implements TestDurability {
        @Override
        public List<WriteSet> readBypassing(Scn after, Scn upTo) {
            return List.of();
        }
    }

    /** The pause is interrupted at the moment at which the group ends for which it waits. */
    @Test
    void shouldNotLeaveCommitsBehindAnInterruptedPause() throws Exception {
        try (Publisher publisher = new Publisher(Scn.ZERO, new Disk(), row -> List.of(), critical)) {
            publisher.start();
            GroupCommitOrder order = new GroupCommitOrder(16, false, publisher, failure -> false, critical);
            for (int i = 0; i < ROUNDS; i++) {
                Member running = new Member(new CompletableFuture<>(), new CompletableFuture<>());
                Member gathering = new Member(CompletableFuture.completedFuture(null), new CompletableFuture<>());
                Thread committer = started(() -> order.commit(running));
                await().pollDelay(0, TimeUnit.MILLISECONDS)
                        .pollInterval(50, TimeUnit.MICROSECONDS)
                        .until(() -> order.committing() != null);
                CountDownLatch ended = new CountDownLatch(1);
                Thread pause = started(() -> {
                    try {
                        order.pause();
                        order.resume();
                    } catch (InterruptedException e) {
                        ended.countDown();
                    }
                });
                order.commit(gathering);
                await().pollDelay(0, TimeUnit.MILLISECONDS)
                        .pollInterval(50, TimeUnit.MICROSECONDS)
                        .until(() -> pause.getState() == Thread.State.WAITING);
                Thread interrupter = started(pause::interrupt);
                running.mayCommit.complete(null);
                assertThat(gathering.told).as("round %d", i).succeedsWithin(10, TimeUnit.SECONDS);
                for (Thread each : List.of(committer, interrupter, pause)) {
                    each.join();
                }
            }
        }
    }

    private static Thread started(Runnable work) {
        Thread thread = new Thread(work);
        thread.start();
        return thread;
    }
}
