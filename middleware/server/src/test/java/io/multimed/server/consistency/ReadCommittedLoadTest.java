// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Clients at READ COMMITTED read and write, cancel, disconnect and leave results unread, while a satellite is killed:
 * each reads its own writes and nothing older than it has read, and nothing remains occupied.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class ReadCommittedLoadTest {
    private static final int CLIENTS = 12;
    private static final int TRANSACTIONS = 100;
    private static final int ROWS = 150;

    private static TestCluster cluster;

    private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();
    private final AtomicInteger ended = new AtomicInteger();

    ReadCommittedLoadTest(String engine) {
        assertThat(engine).isNotEmpty();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                cache: {size: 16m}
                freshness: {wait: 300ms}
                classes:
                - {name: counts, pattern: "count *\\\\(", concurrency: 2, wait: 200ms}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: first, role: satellite, memory: 128m, pool: 5}
                - {name: second, role: satellite, memory: 128m, pool: 5}
                """.formatted(engine)).awaitOnline();
        cluster.run("CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL, pad varchar(200))");
        cluster.insert("INSERT INTO counter VALUES (?, 0, 'some text to read')", 0, ROWS - 1);
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @Test
    void shouldReadItsOwnWritesAndOccupyNothingForever() throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        List<Future<?>> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            int row = i;
            clients.add(threads.submit(() -> new Client(row, threads).live()));
        }
        await().atMost(Duration.ofMinutes(5)).until(() -> ended.get() > CLIENTS * TRANSACTIONS / 3);
        cluster.engine("first").kill();
        await().atMost(Duration.ofMinutes(5)).until(() -> ended.get() > CLIENTS * TRANSACTIONS * 2 / 3);
        cluster.engine("first").revive();
        for (Future<?> each : clients) {
            each.get();
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
        assertThat(violations).isEmpty();
        await("no read of the class runs or waits")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> assertThat(classes()).isEqualTo("0 0"));
        cluster.awaitOnline();
        await("no connection is in use")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(
                        () -> assertThat(cluster.middleware().status().nodes()).allMatch(node -> node.active() == 0));
    }

    private static String classes() throws SQLException {
        try (Connection other = cluster.connect();
                Statement statement = other.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED CLASSES")) {
            rows.next();
            return rows.getLong("running") + " " + rows.getLong("waiting");
        }
    }

    /** One client with a row of its own, which it increments, and the others' rows, which must never go back. */
    private final class Client {
        private final int row;
        private final ExecutorService threads;
        private final SplittableRandom random;
        private final int[] seen = new int[CLIENTS];

        /** The values that the row may have: a commit may have an unknown outcome. */
        private int least;

        private int most;

        Client(int row, ExecutorService threads) {
            this.row = row;
            this.threads = threads;
            this.random = new SplittableRandom(row);
        }

        Void live() throws InterruptedException {
            int done = 0;
            while (done < TRANSACTIONS) {
                try (Connection connection = cluster.connect()) {
                    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
                    connection.setAutoCommit(false);
                    while (done < TRANSACTIONS && !connection.isClosed()) {
                        done++;
                        ended.incrementAndGet();
                        transact(connection);
                    }
                } catch (SQLException e) {
                    TimeUnit.MILLISECONDS.sleep(5);
                }
            }
            return null;
        }

        private void transact(Connection connection) throws SQLException {
            int written = 0;
            boolean uncertain = false;
            try {
                int statements = 1 + random.nextInt(6);
                for (int i = 0; i < statements; i++) {
                    switch (random.nextInt(12)) {
                        case 0, 1, 2 -> {
                            increment(connection);
                            written++;
                        }
                        case 3 -> scan(connection);
                        case 4 -> partly(connection);
                        case 5 -> canceled(connection);
                        case 6 -> others(connection);
                        default -> own(connection, written);
                    }
                }
                if (random.nextInt(40) == 0) {
                    connection.abort(Runnable::run);
                    return;
                }
                if (random.nextInt(6) == 0) {
                    connection.rollback();
                    return;
                }
                if (random.nextInt(50) == 0) {
                    connection.isValid(5);
                }
                uncertain = written > 0;
                connection.commit();
                least += written;
                most += written;
            } catch (SQLException e) {
                if (uncertain) {
                    most += written;
                }
                if (!connection.isClosed()) {
                    connection.rollback();
                }
            }
        }

        private void increment(Connection connection) throws SQLException {
            try (PreparedStatement update = connection.prepareStatement("UPDATE counter SET n = n + 1 WHERE id = ?")) {
                update.setInt(1, row);
                update.executeUpdate();
            }
        }

        private int value(Connection connection, int id) throws SQLException {
            String hint = random.nextInt(4) == 0 ? "/*+ multimed: class=counts */ " : "";
            try (PreparedStatement select = connection.prepareStatement(hint + "SELECT n FROM counter WHERE id = ?")) {
                select.setInt(1, id);
                try (ResultSet rows = select.executeQuery()) {
                    rows.next();
                    return rows.getInt(1);
                }
            }
        }

        private void own(Connection connection, int written) throws SQLException {
            int value = value(connection, row);
            if (value < least + written || value > most + written) {
                violations.add("row %d is %d, not %d to %d".formatted(row, value, least + written, most + written));
            }
        }

        private void others(Connection connection) throws SQLException {
            int id = random.nextInt(CLIENTS);
            int value = value(connection, id);
            if (id != row && value < seen[id]) {
                violations.add("row %d was %d, and is %d".formatted(id, seen[id], value));
            }
            seen[id] = id == row ? 0 : value;
        }

        private void scan(Connection connection) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement("SELECT count(*) FROM counter WHERE n >= ?")) {
                select.setInt(1, -random.nextInt(3));
                select.executeQuery().close();
            }
        }

        private void partly(Connection connection) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement("SELECT id, n, pad FROM counter ORDER BY id")) {
                select.setFetchSize(10);
                ResultSet rows = select.executeQuery();
                for (int i = random.nextInt(40); i >= 0; i--) {
                    rows.next();
                }
            }
        }

        private void canceled(Connection connection) throws SQLException {
            try (PreparedStatement select = connection.prepareStatement(
                    "SELECT count(*) FROM counter a, counter b, counter c WHERE a.n + b.n > c.n + ?")) {
                select.setInt(1, random.nextInt());
                Future<Void> cancel = threads.submit(() -> {
                    TimeUnit.MILLISECONDS.sleep(random.split().nextInt(4));
                    select.cancel();
                    return null;
                });
                try {
                    select.executeQuery().close();
                } finally {
                    cancel.cancel(false);
                }
            }
        }
    }
}
