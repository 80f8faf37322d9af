// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that no client works while CPU times are read. */
@Timeout(60)
class GateTest {
    private static final int CLIENTS = 4;
    private static final int PATIENCE = 30;

    private final Gate gate = new Gate(CLIENTS);
    private final AtomicLong steps = new AtomicLong();

    private void work() {
        try {
            while (gate.pass()) {
                steps.incrementAndGet();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldStopAllClientsBetweenTwoSteps() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Thread thread = new Thread(this::work, "client-" + i);
            thread.start();
            threads.add(thread);
        }
        assertThat(gate.close(PATIENCE)).isTrue();
        assertThat(steps).as("closed in the beginning").hasValue(0);
        for (int round = 1; round <= 3; round++) {
            long before = steps.get();
            gate.open();
            while (steps.get() == before) {
                Thread.onSpinWait();
            }
            assertThat(gate.close(PATIENCE)).isTrue();
            long after = steps.get();
            gate.pause(10);
            assertThat(steps).hasValue(after);
        }
        gate.end();
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(gate.isEnded()).isTrue();
    }

    @Test
    void shouldReportClientsThatDoNotStop() throws Exception {
        assertThat(gate.close(0)).as("no client waits").isFalse();
    }
}
