// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static io.multimed.server.testing.Interleavings.require;
import static io.multimed.server.testing.Interleavings.requireEqual;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.server.testing.Interleavings;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The bounds of the budget hold in every order in which threads can take turns. */
@Tag("interleaving")
class MemoryBudgetInterleavingTest {
    private static final long SIZE = 10;

    /** The memory that holders use now, and the limit that this must never exceed. */
    private static final class Use {
        private final AtomicLong bytes = new AtomicLong();

        void add(long taken) {
            long now = bytes.addAndGet(taken);
            require(now >= 0 && now <= SIZE, "bytes in use", now);
        }
    }

    @Test
    void shouldNeverGiveMoreThanItHas() {
        Interleavings.check(() -> {
            MemoryBudget budget = new MemoryBudget(SIZE);
            Use use = new Use();
            Runnable holder = () -> {
                if (budget.tryTake(6)) {
                    use.add(6);
                    use.add(-6);
                    budget.give(6);
                }
            };
            Interleavings.run(holder, holder, holder);
            requireEqual(budget.taken(), 0, "taken");
        });
    }

    @Test
    void shouldServeEachRequestThatWaitsOnce() {
        Interleavings.check(() -> {
            MemoryBudget budget = new MemoryBudget(SIZE);
            Use use = new Use();
            AtomicInteger served = new AtomicInteger();
            Runnable holder = () -> budget.whenFree(6, Runnable::run, () -> {
                served.incrementAndGet();
                use.add(6);
            });
            Runnable giver = () -> {
                if (budget.tryTake(6)) {
                    use.add(6);
                    use.add(-6);
                    budget.give(6);
                }
            };
            Interleavings.run(holder, giver);
            requireEqual(served.get(), 1, "served");
            requireEqual(budget.taken(), 6, "taken");
        });
    }

    @Test
    void shouldEitherServeOrForgetARequest() {
        Interleavings.check(() -> {
            MemoryBudget budget = new MemoryBudget(SIZE);
            budget.takeAnyway(SIZE);
            AtomicInteger served = new AtomicInteger();
            AtomicInteger forgotten = new AtomicInteger();
            Runnable action = served::incrementAndGet;
            budget.whenFree(4, Runnable::run, action);
            Interleavings.run(() -> budget.give(SIZE), () -> {
                if (budget.forget(action)) {
                    forgotten.incrementAndGet();
                }
            });
            requireEqual(served.get() + forgotten.get(), 1, "served or forgotten");
            requireEqual(budget.taken(), 4L * served.get(), "taken");
        });
    }

    /** Two holders that each need what the other one has must not both wait. */
    @Test
    void shouldRefuseTheLastHolderThatWouldWait() {
        Interleavings.check(() -> {
            MemoryBudget budget = new MemoryBudget(SIZE);
            AtomicInteger refused = new AtomicInteger();
            Runnable holder = () -> {
                if (!take(budget, 5, 0)) {
                    refused.incrementAndGet();
                    return;
                }
                if (take(budget, 5, 5)) {
                    budget.give(SIZE);
                } else {
                    refused.incrementAndGet();
                    budget.give(5);
                }
            };
            Interleavings.run(holder, holder);
            require(refused.get() < 2, "refused", refused.get());
            requireEqual(budget.taken(), 0, "taken");
        });
    }

    private static boolean take(MemoryBudget budget, long bytes, long held) {
        try {
            return budget.take(bytes, held, 1_000_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
