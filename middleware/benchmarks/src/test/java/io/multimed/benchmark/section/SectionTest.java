// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("slow")
@Timeout(60)
class SectionTest {
    private static final int THREADS = 4;
    private static final int ROUNDS = 5_000;

    @ParameterizedTest
    @EnumSource
    @Tag("exhaustive")
    void shouldLoseNoUpdateAndShowNoPart(Primitive primitive) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (Section section = primitive.create(new Work(20))) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                running.add(threads.submit(() -> enter(section)));
            }
            for (Future<?> each : running) {
                each.get();
            }
            assertThat(section.read()).isEqualTo((long) THREADS * ROUNDS);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void enter(Section section) {
        long last = 0;
        for (int i = 0; i < ROUNDS; i++) {
            section.update();
            long now = section.read();
            assertThat(now).isGreaterThan(last); // not torn, and with the update of this thread
            last = now;
        }
    }
}
