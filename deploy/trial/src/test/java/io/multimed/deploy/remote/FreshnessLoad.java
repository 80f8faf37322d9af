// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A client that increments a counter, and clients that read the counter, one of them on the satellite on the other
 * machine as long as it is online. No update may fail. A read must return at least what was acknowledged before the
 * read began, and at most what was requested before the read ended. A read may fail with the error that asks for a
 * repetition.
 */
final class FreshnessLoad implements AutoCloseable {
    private static final int READERS = 2;
    private static final long PAUSE_MILLIS = 5;

    private final RemoteCluster cluster;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Future<?>> clients = new ArrayList<>();
    private final AtomicInteger requested = new AtomicInteger();
    private final AtomicInteger acknowledged = new AtomicInteger();
    private final AtomicInteger readsFar = new AtomicInteger();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile boolean stopped;

    /** A client's work with its connection. */
    private interface Client {
        void run(Connection connection) throws SQLException, InterruptedException;
    }

    private FreshnessLoad(RemoteCluster cluster) {
        this.cluster = cluster;
    }

    /** Starts the load on a row of the table {@code counter}, whose value is 0. */
    static FreshnessLoad start(RemoteCluster cluster, int id) throws SQLException {
        cluster.run("INSERT INTO counter VALUES (" + id + ", 0)");
        FreshnessLoad load = new FreshnessLoad(cluster);
        load.client(connection -> load.increment(connection, id));
        String query = "SELECT n FROM counter WHERE id = " + id;
        for (int i = 0; i < READERS; i++) {
            load.client(connection -> load.read(connection, query));
        }
        String far = "/*+ multimed: node=%s */ ".formatted(RemoteCluster.FAR);
        load.client(connection -> load.read(connection, far + query));
        return load;
    }

    private void client(Client client) {
        clients.add(threads.submit(() -> {
            try (Connection connection = cluster.connect()) {
                client.run(connection);
            }
            return null;
        }));
    }

    private void increment(Connection connection, int id) throws SQLException, InterruptedException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE counter SET n = n + 1 WHERE id = " + id)) {
            while (!stopped) {
                requested.incrementAndGet();
                assertThat(update.executeUpdate()).isOne();
                acknowledged.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    private void read(Connection connection, String sql) throws SQLException, InterruptedException {
        MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            while (!stopped) {
                int least = acknowledged.get();
                try (ResultSet row = query.executeQuery()) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt(1))
                            .as("read on %s, because of %s", multimed.lastNode(), multimed.why())
                            .isBetween(least, requested.get());
                    reads.incrementAndGet();
                    readsFar.addAndGet(multimed.lastNode().equals(RemoteCluster.FAR) ? 1 : 0);
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("40001");
                }
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        }
    }

    /** Returns the number of commits that were acknowledged. */
    int commits() {
        return acknowledged.get();
    }

    /** Waits for further commits and reads. */
    void awaitMore(int count) {
        awaitMore(acknowledged, count, "commits are acknowledged");
        awaitMore(reads, count, "reads are answered");
    }

    /** Waits for further reads that the satellite on the other machine answers. */
    void awaitReadsFar(int count) {
        awaitMore(readsFar, count, "the satellite on the other machine answers reads");
    }

    private void awaitMore(AtomicInteger counter, int count, String what) {
        int before = counter.get();
        await(what).atMost(RemoteCluster.PATIENCE).until(() -> counter.get() > before + count || hasFailed());
        assertThat(hasFailed()).as("a client has failed: see close()").isFalse();
    }

    private boolean hasFailed() {
        return clients.stream().anyMatch(Future::isDone);
    }

    /** Stops the clients, and fails if one of them has failed. */
    @Override
    public void close() throws ExecutionException, InterruptedException {
        stopped = true;
        threads.shutdown();
        for (Future<?> client : clients) {
            client.get();
        }
    }
}
