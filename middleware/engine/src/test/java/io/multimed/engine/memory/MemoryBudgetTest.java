// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that requests are granted in order, that waiting is limited, and that two holders that need more do not block
 * each other.
 */
@Timeout(60)
class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(100);

    private CompletableFuture<Boolean> take(long bytes, long held, long millis) {
        return take(bytes, held, millis, work -> new Thread(work).start());
    }

    /** Returns when the thread waits for the memory. */
    private CompletableFuture<Boolean> takeLater(long bytes, long held) {
        AtomicReference<Thread> thread = new AtomicReference<>();
        CompletableFuture<Boolean> result = take(bytes, held, 30_000, work -> {
            thread.set(new Thread(work));
            thread.get().start();
        });
        await("the thread waits for memory: see its state")
                .until(() -> thread.get().getState() == Thread.State.TIMED_WAITING);
        return result;
    }

    private CompletableFuture<Boolean> take(long bytes, long held, long millis, Executor threads) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return budget.take(bytes, held, millis);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                threads);
    }

    @Test
    void shouldServeThoseThatWaitWhenItBecomesLarger() throws Exception {
        assertThat(budget.tryTake(90)).isTrue();
        CompletableFuture<Boolean> waits = takeLater(60, 0);
        CompletableFuture<Void> asynchronous = new CompletableFuture<>();
        budget.whenFree(70, Runnable::run, () -> asynchronous.complete(null));
        budget.setMost(220);
        assertThat(waits.get()).isTrue();
        asynchronous.get();
        assertThat(budget.taken()).isEqualTo(220);
    }

    @Test
    void shouldKeepWhatIsTakenWhenItBecomesSmaller() {
        assertThat(budget.tryTake(90)).isTrue();
        budget.setMost(50);
        assertThat(budget.taken()).isEqualTo(90);
        assertThat(budget.tryTake(1)).isFalse();
        budget.give(60);
        assertThat(budget.tryTake(21)).isFalse();
        assertThat(budget.tryTake(20)).isTrue();
    }

    @Test
    void shouldGrantFreeMemoryAndWaitForTheRest() throws Exception {
        assertThat(budget.tryTake(60)).isTrue();
        assertThat(budget.tryTake(60)).isFalse();
        CompletableFuture<Boolean> waits = takeLater(60, 0);
        assertThat(waits).isNotDone();
        budget.give(60);
        assertThat(waits.get()).isTrue();
        assertThat(budget.taken()).isEqualTo(60);
    }

    @Test
    void shouldWaitNoLongerThanAllowedAndNotForMoreThanTheBudget() throws Exception {
        assertThat(budget.tryTake(60)).isTrue();
        assertThat(take(60, 0, 50).get()).isFalse();
        assertThat(take(101, 0, 30_000).get()).isFalse();
    }

    @Test
    void shouldRefuseTheLastOfSeveralThatWaitForEachOther() throws Exception {
        assertThat(budget.tryTake(50)).isTrue();
        assertThat(budget.tryTake(50)).isTrue();
        CompletableFuture<Boolean> first = takeLater(20, 50);
        assertThat(take(20, 50, 30_000).get()).isFalse();
        assertThat(first).isNotDone();
        budget.give(50); // the refused caller releases its memory
        assertThat(first.get()).isTrue();
    }

    @Test
    void shouldServeAsynchronousRequestsInOrder() {
        List<String> served = new ArrayList<>();
        Runnable forgotten = () -> served.add("forgotten");
        assertThat(budget.tryTake(100)).isTrue();
        budget.whenFree(50, Runnable::run, () -> served.add("first"));
        budget.whenFree(10, Runnable::run, forgotten);
        budget.whenFree(10, Runnable::run, () -> served.add("second"));
        assertThat(budget.tryTake(0))
                .as("a request does not overtake those that wait")
                .isFalse();
        assertThat(budget.forget(forgotten)).isTrue();
        assertThat(budget.forget(forgotten)).isFalse();
        budget.give(40);
        assertThat(served).isEmpty();
        budget.give(20);
        assertThat(served).containsExactly("first", "second");
        assertThat(budget.taken()).isEqualTo(100);
    }
}
