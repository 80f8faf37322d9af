// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("slow")
@Timeout(60)
class NamedThreadsTest {
    private static final int SIZE = 8;

    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final ExecutorService threads = new NamedThreads("test", failure::set).lastInFirstOut(SIZE);

    @Test
    void shouldRunAsManyTasksAtATimeAsThereAreThreads() throws Exception {
        CountDownLatch all = new CountDownLatch(SIZE);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicInteger ended = new AtomicInteger();
        for (int i = 0; i < SIZE; i++) {
            threads.execute(() -> {
                all.countDown();
                awaitLatch(mayEnd);
                ended.incrementAndGet();
            });
        }
        all.await();
        mayEnd.countDown();
        await("all tasks have ended").until(() -> ended.get() == SIZE);
        NamedThreads.stop(threads);
    }

    @Test
    @Tag("exhaustive")
    void shouldUseFewThreadsForTasksInSequence() throws Exception {
        useAllThreads();
        Set<Thread> used = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 100; i++) {
            CountDownLatch done = new CountDownLatch(1);
            threads.execute(() -> {
                used.add(Thread.currentThread());
                done.countDown();
            });
            done.await();
            await("the thread is idle").until(((ForkJoinPool) threads)::isQuiescent);
        }
        assertThat(used).hasSizeLessThan(SIZE);
        NamedThreads.stop(threads);
    }

    private void useAllThreads() throws InterruptedException {
        CountDownLatch all = new CountDownLatch(SIZE);
        for (int i = 0; i < SIZE; i++) {
            threads.execute(() -> {
                all.countDown();
                awaitLatch(all);
            });
        }
        all.await();
    }

    @Test
    void shouldReportAFailureAndContinue() throws Exception {
        threads.execute(() -> {
            throw new IllegalStateException("a failure that the test expects");
        });
        await("the failure is reported").until(() -> failure.get() != null);
        assertThat(failure.get()).hasMessage("a failure that the test expects");
        CountDownLatch done = new CountDownLatch(1);
        threads.execute(done::countDown);
        done.await();
        NamedThreads.stop(threads);
    }

    private static void awaitLatch(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
