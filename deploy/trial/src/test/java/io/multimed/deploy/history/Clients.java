// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** The clients of a test, each on a thread of its own, until they are stopped. Used by one thread. */
final class Clients implements AutoCloseable {
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<CompletableFuture<Void>> running = new ArrayList<>();
    private volatile boolean stopped;

    /** A client that runs as long as the condition holds. */
    @FunctionalInterface
    interface Client {
        void run(BooleanSupplier goesOn) throws Exception;
    }

    void start(Client client) {
        running.add(CompletableFuture.runAsync(
                () -> {
                    try {
                        client.run(() -> !stopped);
                    } catch (Exception e) {
                        throw new CompletionException(e);
                    }
                },
                threads));
    }

    /** Waits until the clients have counted so many more, or one of them has failed, which {@link #stop} reports. */
    void awaitMore(AtomicInteger count, int more) {
        int before = count.get();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> count.get() > before + more
                        || running.stream().anyMatch(CompletableFuture::isCompletedExceptionally));
    }

    /** Stops the clients, and fails if one of them has failed. */
    void stop() throws Exception {
        stopped = true;
        for (CompletableFuture<Void> client : running) {
            client.get(60, TimeUnit.SECONDS);
        }
    }

    @Override
    public void close() {
        stopped = true;
        threads.shutdown();
    }
}
