// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.Engines;
import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.value.CoreSet;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LeaseTest {
    /**
     * The next request arrives after the answer to the previous request, but before the thread of the previous request
     * ends.
     */
    @Test
    void shouldNotBeRevokedWhileAnOverlappingTaskRuns() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (ComputationalNode node = new ComputationalNode(
                "node",
                0,
                CoreSet.ALL,
                Engines.of("postgresql"),
                2,
                new MemoryBudget(1 << 20),
                new CriticalThreads())) {
            Lease lease = new Lease(node, unused(), new UnansweredRequest(), 0, 0);
            lease.allowRevocation();
            lease.submit(() -> {
                begun.countDown();
                await(mayEnd);
                ended.countDown();
            });
            begun.await();
            lease.runTask(() -> {}); // ends the task that began with the lease
            assertThat(lease.revokeIfIdle(0)).isFalse();
            mayEnd.countDown();
            ended.await();
            assertThat(lease.isRevoked()).isFalse();
        }
    }

    /** A request that has its connection. */
    private static final class UnansweredRequest implements LeaseRequest {
        @Override
        public void leased(Lease lease) {}

        @Override
        public void refused(SQLException cause) {}
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Connection unused() {
        return (Connection) Proxy.newProxyInstance(
                LeaseTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (p, m, a) -> {
                    throw new IllegalStateException(m.getName());
                });
    }
}
