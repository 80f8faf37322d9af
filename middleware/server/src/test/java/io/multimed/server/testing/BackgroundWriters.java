// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Clients that write continuously until they are closed. A client that fails continues with the next write. */
public final class BackgroundWriters implements AutoCloseable {
    private static final int MORE = 10;

    private final TestCluster cluster;
    private final Write write;
    private final AtomicBoolean done = new AtomicBoolean();
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicInteger written = new AtomicInteger();
    private final Queue<SQLException> failures = new ConcurrentLinkedQueue<>();
    private final List<CompletableFuture<Void>> clients = new ArrayList<>();

    /** A write that a client repeats. */
    @FunctionalInterface
    public interface Write {
        /** @param n another one each time, over all clients, from 1 on */
        void run(Connection connection, int n) throws SQLException;
    }

    public BackgroundWriters(TestCluster cluster, int count, Write write) {
        this.cluster = cluster;
        this.write = write;
        for (int i = 0; i < count; i++) {
            clients.add(CompletableFuture.runAsync(this::work, command -> new Thread(command, "writer").start()));
        }
    }

    private void work() {
        try (Connection connection = cluster.connect()) {
            while (!done.get()) {
                try {
                    write.run(connection, begun.incrementAndGet());
                    written.incrementAndGet();
                } catch (SQLException e) {
                    failures.add(e);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns when more has been written. */
    public void awaitMore() {
        int before = written.get();
        await(MORE + " more rows are written; see failures()")
                .atMost(Duration.ofSeconds(90))
                .until(() -> written.get() > before + MORE);
    }

    public Queue<SQLException> failures() {
        return failures;
    }

    @Override
    public void close() {
        done.set(true);
        clients.forEach(CompletableFuture::join);
    }
}
