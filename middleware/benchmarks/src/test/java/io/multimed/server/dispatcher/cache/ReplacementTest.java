// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class ReplacementTest {
    private static final int WEIGHT = 10;
    private static final int VALUES = 100;
    private static final int THREADS = 4;

    static Stream<Replacement<Integer, String>> all() {
        return Stream.of(
                new CaffeineReplacement<>((long) WEIGHT * VALUES, evicted -> {}),
                new ClockReplacement<>(WEIGHT * VALUES, VALUES * 2));
    }

    private static String value(int key) {
        return "value " + key;
    }

    /** Policies under a lock: all weights are 1. */
    static Stream<Replacement<Integer, String>> locked() {
        return Stream.of(new LockedLru<>(VALUES), new LockedTwoQueue<>(VALUES), new LockedClock<>(VALUES));
    }

    @ParameterizedTest
    @MethodSource("locked")
    void shouldKeepAsManyValuesAsThereIsRoomFor(Replacement<Integer, String> cache) {
        for (int key = 0; key < 3 * VALUES; key++) {
            cache.put(key, "old", 1);
            cache.put(key, value(key), 1);
            assertThat(cache.get(key)).isEqualTo(value(key));
        }
        assertThat(cache.size()).isEqualTo(VALUES);
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldReturnTheLastValue(Replacement<Integer, String> cache) {
        cache.put(1, "old", WEIGHT);
        cache.put(1, "new", WEIGHT);
        assertThat(cache.get(1)).isEqualTo("new");
        assertThat(cache.get(2)).isNull();
        assertThat(cache.size()).isEqualTo(1);
        assertThat(cache.weight()).isEqualTo(WEIGHT);
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldNotExceedItsWeight(Replacement<Integer, String> cache) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                int seed = i;
                running.add(threads.submit(() -> access(cache, new Random(seed))));
            }
            for (Future<?> each : running) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(cache.weight()).isPositive().isLessThanOrEqualTo((long) WEIGHT * VALUES + 2 * WEIGHT);
        assertThat(cache.size()).isPositive().isLessThanOrEqualTo(VALUES * 10L);
    }

    private static void access(Replacement<Integer, String> cache, Random random) {
        for (int i = 0; i < 50_000; i++) {
            int key = random.nextInt(1_000);
            String found = cache.get(key);
            if (found == null) {
                cache.put(key, value(key), 1 + key % (2 * WEIGHT));
            } else {
                assertThat(found).isEqualTo(value(key));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void shouldKeepWhatIsUsedOften(Replacement<Integer, String> cache) {
        for (int round = 0; round < 50; round++) {
            for (int key = 0; key < VALUES / 2; key++) {
                if (cache.get(key) == null) {
                    cache.put(key, value(key), WEIGHT);
                }
            }
            for (int once = 0; once < VALUES / 2; once++) {
                cache.put(1_000 + round * VALUES + once, "once", WEIGHT);
            }
        }
        int kept = 0;
        for (int key = 0; key < VALUES / 2; key++) {
            kept += cache.get(key) == null ? 0 : 1;
        }
        assertThat(kept).isGreaterThan(VALUES / 4);
    }
}
