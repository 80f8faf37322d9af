// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.statement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cancel requests of all clients reach their engines: none waits for that of another client, and none is lost. */
@Timeout(60)
class CancelThreadsTest {
    private final CancelThreads threads = new CancelThreads();
    private final CountDownLatch hanging = new CountDownLatch(1);

    @AfterEach
    void close() {
        hanging.countDown();
        threads.close();
    }

    /** Returns the cancellation of a session whose statement a cancel request ends. */
    private static Cancellation running(AtomicInteger ended) {
        Cancellation cancellation = new Cancellation();
        cancellation.beginRequest(1);
        cancellation.begin(() -> {
            cancellation.endRequest();
            ended.incrementAndGet();
        });
        return cancellation;
    }

    private void cancel(Cancellation cancellation) {
        if (cancellation.request(1)) {
            threads.deliver(cancellation);
        }
    }

    private Cancellation ofHangingEngine() {
        Cancellation cancellation = new Cancellation();
        cancellation.beginRequest(1);
        cancellation.begin(() -> {
            try {
                hanging.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            cancellation.endRequest();
        });
        return cancellation;
    }

    @Test
    void shouldNotWaitForAnEngineThatDoesNotAnswer() {
        for (int i = 0; i < 10; i++) {
            cancel(ofHangingEngine());
        }
        AtomicInteger ended = new AtomicInteger();
        cancel(running(ended));
        await().untilAsserted(() -> assertThat(ended).hasValue(1));
    }

    @Test
    void shouldLoseNoneOfManyRequests() {
        for (int i = 0; i < 100; i++) {
            cancel(ofHangingEngine()); // more than there are threads
        }
        AtomicInteger ended = new AtomicInteger();
        List<Cancellation> sessions = new ArrayList<>();
        for (int i = 0; i < 5_000; i++) {
            sessions.add(running(ended));
        }
        sessions.forEach(this::cancel);
        hanging.countDown();
        await().untilAsserted(() -> assertThat(ended).hasValue(5_000));
        await().untilAsserted(() -> assertThat(threads.deliveries()).isZero());
    }

    /** The request arrives before the statement, or the engine refuses the connection. */
    @Test
    void shouldRepeatARequestUntilTheStatementEnds() {
        AtomicInteger attempts = new AtomicInteger();
        Cancellation cancellation = new Cancellation();
        cancellation.beginRequest(1);
        cancellation.begin(() -> {
            switch (attempts.incrementAndGet()) {
                case 1 -> throw new SQLException("too many connections");
                case 4 -> cancellation.endRequest();
                default -> {}
            }
        });
        cancel(cancellation);
        await().untilAsserted(() -> assertThat(threads.deliveries()).isZero());
        assertThat(attempts).hasValue(4);
    }

    @Test
    void shouldCancelOnlyTheRequestWhoseTimeHasExpired() throws Exception {
        AtomicBoolean second = new AtomicBoolean();
        Cancellation cancellation = new Cancellation();
        cancellation.beginRequest(1);
        Future<?> first = threads.limit(cancellation, 1, 1);
        cancellation.endRequest();
        cancellation.beginRequest(2);
        cancellation.begin(() -> second.set(true));
        first.get(30, TimeUnit.SECONDS);
        assertThat(cancellation.wasRequested()).isFalse();
        assertThat(second).isFalse();
        threads.limit(cancellation, 2, 1).get(30, TimeUnit.SECONDS);
        await().untilAsserted(() -> assertThat(second).isTrue());
        assertThat(cancellation.hasExpired()).isTrue();
        cancellation.endRequest();
    }
}
