package io.multimed.middleware.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests are granted in order, waiting is limited, and two holders that need more do not block each other. */
@Timeout(60)
class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(100);

    private CompletableFuture<Boolean> take(long bytes, long held, long millis) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return budget.take(bytes, held, millis);
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                },
                work -> new Thread(work).start());
    }

    @Test
    void shouldGrantFreeMemoryAndWaitForTheRest() throws Exception {
        assertThat(budget.tryTake(60)).isTrue();
        assertThat(budget.tryTake(60)).isFalse();
        CompletableFuture<Boolean> waits = take(60, 0, 30_000);
        TimeUnit.MILLISECONDS.sleep(50);
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
        CompletableFuture<Boolean> first = take(20, 50, 30_000);
        TimeUnit.MILLISECONDS.sleep(200); // this thread waits, or comes last
        CompletableFuture<Boolean> second = take(20, 50, 30_000);
        await().until(() -> first.isDone() || second.isDone());
        CompletableFuture<Boolean> other = first.isDone() ? second : first;
        assertThat((first.isDone() ? first : second).get()).isFalse();
        assertThat(other).isNotDone();
        budget.give(50); // the refused caller releases its memory
        assertThat(other.get()).isTrue();
    }

    @Test
    void shouldServeAsynchronousRequestsInOrder() {
        List<String> served = new ArrayList<>();
        Runnable forgotten = () -> served.add("forgotten");
        assertThat(budget.tryTake(100)).isTrue();
        budget.whenFree(50, Runnable::run, () -> served.add("first"));
        budget.whenFree(10, Runnable::run, forgotten);
        budget.whenFree(10, Runnable::run, () -> served.add("second"));
        assertThat(budget.tryTake(0)).as("nobody overtakes").isFalse();
        assertThat(budget.forget(forgotten)).isTrue();
        assertThat(budget.forget(forgotten)).isFalse();
        budget.give(40);
        assertThat(served).isEmpty();
        budget.give(20);
        assertThat(served).containsExactly("first", "second");
        assertThat(budget.taken()).isEqualTo(100);
    }
}
