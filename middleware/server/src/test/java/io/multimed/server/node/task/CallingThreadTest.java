// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CallingThreadTest {
    private final CallingThread calling = new CallingThread();
    private final List<Thread> ran = new CopyOnWriteArrayList<>();

    private void note() {
        ran.add(Thread.currentThread());
    }

    /** The tasks follow each other, as those of a lease and of its release do. */
    @Test
    void shouldRunAllTasksBeforeTheCallReturns() {
        calling.call(() -> {
            assertThat(CallingThread.current()).isSameAs(calling);
            calling.offer(() -> {
                note();
                calling.answered();
                calling.offer(this::note);
            });
        });
        assertThat(ran).containsExactly(Thread.currentThread(), Thread.currentThread());
        assertThat(CallingThread.current()).isNull();
    }

    @Test
    void shouldRefuseTasksWhileTheThreadIsAway() {
        assertThat(calling.offer(this::note)).isFalse();
        calling.call(calling::answered);
        assertThat(calling.offer(this::note)).isFalse();
    }

    @Test
    void shouldWaitForTasksAndTheAnswerOfOtherThreads() throws Exception {
        CompletableFuture<Void> here = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Thread client = new Thread(() -> {
            calling.call(() -> here.complete(null));
            ended.complete(null);
        });
        client.start();
        here.get(30, TimeUnit.SECONDS);
        assertThat(calling.offer(this::note)).isTrue();
        calling.answered();
        ended.get(30, TimeUnit.SECONDS);
        assertThat(ran).containsExactly(client);
    }

    /** As over a socket: the interrupt is seen after the answer. */
    @Test
    void shouldKeepAnInterruptUntilTheAnswer() {
        Thread.currentThread().interrupt();
        calling.call(() -> {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            calling.offer(() -> {
                Thread.currentThread().interrupt();
                calling.offer(() -> {
                    assertThat(Thread.currentThread().isInterrupted()).isFalse();
                    note();
                    calling.answered();
                });
            });
        });
        assertThat(Thread.interrupted()).isTrue();
        assertThat(ran).hasSize(1);
    }

    @Test
    void shouldBeIdleWhileItOnlyWaits() {
        List<Boolean> idle = new ArrayList<>();
        calling.call(() -> {
            idle.add(calling.isIdle());
            calling.offer(() -> idle.add(calling.isIdle()));
            idle.add(calling.isIdle());
            calling.offer(() -> {
                calling.answered();
                idle.add(calling.isIdle());
            });
        });
        assertThat(idle).containsExactly(true, false, false, false);
    }

    /** The task belongs to a request that has its answer already: the next one may take long. */
    @Test
    void shouldRefuseATaskOfAnEarlierRequest() {
        calling.call(calling::answered);
        long earlier = calling.request();
        calling.call(() -> {
            assertThat(calling.offer(this::note, earlier)).isFalse();
            assertThat(calling.offer(this::note, calling.request())).isTrue();
            calling.answered();
        });
        assertThat(ran).hasSize(1);
    }

    /** An application server may stop a thread; what it has accepted must not be lost. */
    @Test
    void shouldLeaveItsTasksToAnotherThread() throws Exception {
        CompletableFuture<Thread> heir = new CompletableFuture<>();
        assertThatThrownBy(() -> calling.call(() -> {
                    calling.offer(() -> {
                        calling.offer(() -> heir.complete(Thread.currentThread()));
                        throw new ThreadDeath();
                    });
                }))
                .isInstanceOf(ThreadDeath.class);
        assertThat(heir.get(30, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
        assertThat(calling.offer(this::note)).isFalse();
        calling.call(calling::answered);
    }

    /** A defect of one task must not keep the thread from the others. */
    @Test
    void shouldGoOnAfterATaskThatFails() {
        calling.call(() -> {
            calling.offer(() -> {
                throw new IllegalStateException("a defect");
            });
            calling.offer(calling::answered);
        });
        assertThat(calling.offer(this::note)).isFalse();
    }
}
