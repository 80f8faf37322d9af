// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Monitored;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/** An operator locks what all commits need: they fail after some time with the engine's error; the status says so. */
@Tag("exhaustive")
@Timeout(600)
class CommitLockTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int LOCK_WAIT_TIMEOUT = 1205;

    private static TestCluster start(String engine) throws Exception {
        TestCluster cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                monitoring: {port: 0}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL)", "INSERT INTO t VALUES (1, 0)");
        return cluster;
    }

    /** Commits, and returns the error number; 0 if the commit has succeeded. */
    private static CompletableFuture<Integer> commit(Connection connection) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                connection.commit();
                return 0;
            } catch (SQLException e) {
                return e.getErrorCode();
            }
        });
    }

    private static int get(CompletableFuture<Integer> commit) throws Exception {
        return commit.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }

    /** A backup, or a session of an administrator, holds a lock when a transaction commits. */
    private static void assertStopped(TestCluster cluster, String... lock) throws Exception {
        assertThat(Monitored.get(cluster, "/health/ready")).isEqualTo("ready\n");
        try (Connection client = cluster.connect();
                Connection operator = cluster.direct("master")) {
            client.setAutoCommit(false);
            run(client, "UPDATE t SET n = n + 1");
            run(operator, lock);
            CompletableFuture<Integer> commit = commit(client);
            await("the middleware is not ready")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(Monitored.get(cluster, "/health/ready"))
                            .contains("no commit has ended for", "lock"));
            assertThat(get(commit)).isEqualTo(LOCK_WAIT_TIMEOUT);
            assertThat(text(client, "SELECT 1")).as("the session continues").isEqualTo("1");
            client.rollback();
        }
        cluster.run("UPDATE t SET n = n + 10");
        assertThat(Monitored.get(cluster, "/health/ready")).isEqualTo("ready\n");
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldStopCommitsThatWaitForAnOperator(String engine) throws Exception {
        try (TestCluster cluster = start(engine)) {
            assertStopped(cluster, "FLUSH TABLES WITH READ LOCK");
            assertStopped(cluster, "LOCK TABLES multimed.sealed READ");
            assertThat(cluster.onMaster("SELECT n FROM t")).isEqualTo("20");
            cluster.awaitApplied();
            try (Connection client = cluster.connect()) {
                assertThat(Sql.rows(client, "VERIFY MULTIMED")).isNotEmpty().allMatch(row -> row.contains("|equal|"));
            }
        }
    }

    /** As a backup does for a moment: the transaction waits, and commits. */
    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldLetCommitsWaitForAShortLock(String engine) throws Exception {
        try (TestCluster cluster = start(engine);
                Connection client = cluster.connect();
                Connection operator = cluster.direct("master")) {
            client.setAutoCommit(false);
            run(client, "UPDATE t SET n = n + 1");
            run(operator, "FLUSH TABLES WITH READ LOCK");
            CompletableFuture<Integer> commit = commit(client);
            await("the commit waits: see PROCESSLIST")
                    .atMost(PATIENCE)
                    .until(() -> cluster.onMaster(
                                    "SELECT COUNT(*) > 0 FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for % lock'")
                            .equals("1"));
            run(operator, "UNLOCK TABLES");
            assertThat(get(commit)).isZero();
            assertThat(text(client, "SELECT n FROM t")).isEqualTo("1");
        }
    }
}
