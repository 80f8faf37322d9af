// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** The master keeps receipts and WriteSets for the time, and up to the size, that the System Model specifies. */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine
class RetentionTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int CLIENTS = 6;

    private static TestCluster cluster;

    private final String engine;

    RetentionTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of(model(engine, "kept-for: 10m"));
        cluster.run("CREATE TABLE noted (id int PRIMARY KEY, v text NOT NULL)");
        for (int client = 0; client < CLIENTS; client++) {
            cluster.run("INSERT INTO noted VALUES (%d, '')".formatted(client));
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static String model(String engine, String kept) {
        return """
                engine: %s
                share-cores: true
                queue: {%s}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine, kept);
    }

    @Test
    void shouldRemoveWriteSetsThatAreTooOldOrTooLargeAndNoOthers() throws Exception {
        long begin = base();
        update(1_500, 1);
        await("no WriteSet is removed within 3 s; see multimed.base on the master")
                .during(Duration.ofSeconds(3))
                .atMost(PATIENCE)
                .until(() -> base() == begin);
        restart("kept-for: 10m, kept-size: 16m");
        update(5_700, 3_500);
        await("WriteSets beyond kept-size are removed; see multimed.base on the master")
                .atMost(PATIENCE)
                .until(() -> base() > begin + 1_000);
        assertThat(base()).isLessThan(published() - 1_000);
        restart("kept-for: 2s");
        long published = published();
        await("WriteSets older than kept-for are removed; see multimed.base on the master")
                .atMost(PATIENCE)
                .until(() -> {
                    update(CLIENTS, 1);
                    return base() >= published - 2_000; // some engines remove this number of WriteSets at a time
                });
        cluster.awaitApplied();
    }

    private void restart(String kept) throws Exception {
        cluster.middleware().close();
        cluster.startMiddleware(model(engine, kept));
        cluster.awaitOnline();
    }

    private static long base() throws SQLException {
        try (Connection master = cluster.direct("master")) {
            return Long.parseLong(String.valueOf(Sql.text(master, "SELECT scn FROM multimed.base")));
        }
    }

    private static long published() throws SQLException {
        try (Connection connection = cluster.connect()) {
            Sql.run(connection, "UPDATE noted SET v = v WHERE id = 0");
            return connection.unwrap(MultimedConnection.class).lastScn();
        }
    }

    /** Runs updates of this size, in sequence for each client. */
    private static void update(int updates, int bytes) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int client = 0; client < CLIENTS; client++) {
                int id = client;
                done.add(clients.submit(() -> {
                    update(id, updates / CLIENTS, bytes);
                    return null;
                }));
            }
            for (Future<?> client : done) {
                client.get();
            }
        } finally {
            clients.shutdownNow();
        }
    }

    private static void update(int id, int updates, int bytes) throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement update = connection.prepareStatement("UPDATE noted SET v = ? WHERE id = ?")) {
            for (int i = 0; i < updates; i++) {
                update.setString(1, String.valueOf((char) ('a' + i % 26)).repeat(bytes / 2));
                update.setInt(2, id);
                update.executeUpdate();
            }
        }
    }
}
