// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Updates that wait for their commit group, because a COMMIT before them takes long, wait for a limited time. */
@Timeout(120)
@Tag("standbys")
@Tag("slow")
class CommitTurnTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int CLIENTS = 5;

    private final List<Connection> clients = new ArrayList<>();
    private TestCluster cluster;
    private Connection holder;
    private Connection slow;

    @BeforeEach
    void start() throws Exception {
        cluster = TestCluster.of("""
                listen: {limits: {acquire-timeout: 300ms}}
                bypass: capture
                nodes:
                - {name: master, role: master, memory: 128m}
                """);
        cluster.run(
                "CREATE TABLE t (a int PRIMARY KEY, b int NOT NULL)",
                "INSERT INTO t SELECT n, 0 FROM generate_series(1, 10) n",
                "CREATE TABLE slow (a int)");
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(cluster.connect());
        }
        holder = cluster.direct("master");
        slow = cluster.connect();
        await("the statement runs inside commit groups, because it was fast so far")
                .atMost(PATIENCE)
                .until(this::runsInGroup);
    }

    private boolean runsInGroup() throws SQLException {
        long before = cluster.middleware().commitCounts().inside();
        for (int i = 0; i < CLIENTS; i++) {
            update(clients.get(i), i + 1);
        }
        return cluster.middleware().commitCounts().inside() == before + CLIENTS;
    }

    private long sum() throws SQLException {
        return Long.parseLong(Sql.text(holder, "SELECT sum(b) FROM t"));
    }

    @AfterEach
    void stop() throws SQLException {
        holder.close(); // releases the lock, so that the others can end
        for (Connection client : clients) {
            client.close();
        }
        slow.close();
        cluster.close();
    }

    private static int update(Connection client, int row) throws SQLException {
        try (PreparedStatement update = client.prepareStatement("UPDATE t SET b = b + 1 WHERE a = ?")) {
            update.setInt(1, row);
            return update.executeUpdate();
        }
    }

    /** Returns when the COMMIT of a transaction waits in the engine, as for a transaction that bypasses Multimed. */
    private CompletableFuture<Void> commitSlowly() throws SQLException {
        holder.setAutoCommit(false);
        Sql.run(holder, "LOCK TABLE multimed.gate IN EXCLUSIVE MODE");
        slow.setAutoCommit(false);
        Sql.run(slow, "INSERT INTO slow VALUES (1)");
        CompletableFuture<Void> commit = CompletableFuture.runAsync(() -> {
            try {
                slow.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        await("the COMMIT waits")
                .atMost(PATIENCE)
                .until(() -> Sql.text(
                                holder,
                                "SELECT count(*) FROM pg_locks WHERE relation = 'multimed.gate'::regclass AND NOT granted")
                        .equals("1"));
        return commit;
    }

    private double refusals() throws SQLException {
        return Sql.rows(slow, "SHOW MULTIMED METRICS").stream()
                .filter(row -> row.startsWith("multimed_limit_refusals|limit=acquire-timeout|"))
                .mapToDouble(row -> Double.parseDouble(row.substring(row.lastIndexOf('|') + 1)))
                .sum();
    }

    @Test
    void shouldRefuseUpdatesThatWaitForTooLongAndNotRunThemLater() throws Exception {
        double before = refusals();
        long sum = sum();
        CompletableFuture<Void> commit = commitSlowly();
        for (int round = 0; round < 2; round++) {
            List<CompletableFuture<Integer>> updates = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int row = i + 1;
                Connection client = clients.get(i);
                updates.add(CompletableFuture.supplyAsync(() -> {
                    try {
                        return update(client, row);
                    } catch (SQLException e) {
                        throw new IllegalStateException(e.getSQLState() + " " + e.getMessage(), e);
                    }
                }));
            }
            for (CompletableFuture<Integer> update : updates) {
                assertThatThrownBy(() -> update.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                        .hasMessageContaining(
                                "53300 the update has waited for 0.3 s for its turn to commit on node master")
                        .hasMessageContaining("listen.limits.acquire-timeout")
                        .hasMessageContaining("it has not run: run it again later");
            }
        }
        assertThat(Sql.rows(clients.get(0), "SHOW MULTIMED STATUS"))
                .as("a client whose wait was given up continues; a read of the table waits for the COMMIT")
                .hasSize(1);
        holder.rollback();
        commit.get();
        for (int i = 0; i < CLIENTS; i++) {
            assertThat(update(clients.get(i), i + 1)).isEqualTo(1);
        }
        assertThat(sum()).isEqualTo(sum + CLIENTS);
        slow.setAutoCommit(true);
        assertThat(refusals()).isEqualTo(before + 2 * CLIENTS);
    }
}
