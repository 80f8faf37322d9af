// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.failure;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The master waits for standbys before it acknowledges a commit: clients of the middleware also wait, as the settings
 * of the master require. MySQL and MariaDB wait in their own COMMIT.
 */
@Tag("slow")
@Timeout(600)
class SynchronousStandbyTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** The latest wait for standbys on the master. */
    private static final String WAIT =
            "SELECT pid || ' since ' || query_start FROM pg_stat_activity WHERE wait_event = 'SyncRep' ORDER BY query_start DESC LIMIT 1";

    private static TestCluster cluster;
    private static StateFolder state;

    /** A direct connection to the master. */
    private static Connection master;

    @BeforeAll
    static void start() throws Exception {
        state = StateFolder.temporary("multimed-test-");
        cluster = TestCluster.withSatellites(1).awaitOnline();
        cluster.run("CREATE TABLE t (a int PRIMARY KEY)");
        cluster.awaitApplied();
        master = cluster.direct("master");
    }

    @AfterAll
    static void stop() throws SQLException {
        master.close();
        cluster.close();
        state.discard();
    }

    /**
     * Without standbys, an acknowledged commit is in the log on disk, also if the commits before it were not forced to
     * disk.
     */
    @Test
    void shouldAcknowledgeACommitWhenItIsInTheLog() throws Exception {
        for (int i = 0; i < 10; i++) {
            for (String statement : List.of(
                    "CREATE TABLE logged (a int PRIMARY KEY)", "INSERT INTO logged VALUES (1)", "DROP TABLE logged")) {
                String before = text(master, "SELECT pg_current_wal_insert_lsn()");
                cluster.run(statement);
                assertThat(text(master, "SELECT pg_current_wal_flush_lsn() > '" + before + "'"))
                        .as(statement)
                        .isEqualTo("t");
            }
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldAcknowledgeACommitWhenTheStandbysHaveIt() throws Exception {
        assertAnswered(commit(1));
        set("synchronous_standby_names", "'multimed_standby'");
        CompletableFuture<Void> single = commit(2);
        CompletableFuture<Void> transaction = CompletableFuture.runAsync(() -> insertInATransaction(3));
        assertWaits(single);
        assertWaits(transaction);
        try (Connection reader = cluster.connect()) {
            assertThat(text(reader, "SELECT count(*) FROM t"))
                    .as("on a satellite")
                    .isEqualTo("1");
        }
        await("the status reports the missing standby; see trouble of the master")
                .atMost(PATIENCE)
                .until(() -> String.valueOf(
                                cluster.middleware().status().nodes().get(0).trouble())
                        .contains("synchronous_standby_names is \"multimed_standby\", and 0"));
        assertThat(List.of(single, transaction)).noneMatch(CompletableFuture::isDone);
        try (RunningEngine standby = standby();
                Connection replica = direct(standby)) {
            assertAnswered(single);
            assertAnswered(transaction);
            assertThat(text(master, "SELECT sync_state FROM pg_stat_replication"))
                    .isEqualTo("sync");
            assertWaitsForReplay(replica);
            standby.kill();
            CompletableFuture<Void> alone = commit(5);
            assertWaits(alone);
            cancelWait();
            assertWaits(alone);
            set("synchronous_commit", "'local'");
            cancelWait();
            assertAnswered(alone, commit(6));
        }
        set("synchronous_commit", "DEFAULT");
        CompletableFuture<Void> late = commit(7);
        assertWaits(late);
        set("synchronous_standby_names", "DEFAULT");
        assertAnswered(late);
        cluster.awaitApplied();
        assertThat(cluster.middleware().status().nodes().get(0).trouble()).isNull();
    }

    /** A client's own setting does not make all other commits wait: the settings of the master decide. */
    @Test
    void shouldNotWaitForStandbysThatOnlyAClientRequires() throws Exception {
        cluster.run("CREATE TABLE own (a int PRIMARY KEY)");
        set("synchronous_commit", "'local'");
        set("synchronous_standby_names", "'multimed_standby'");
        try (Connection client = cluster.connect()) {
            run(client, "SET synchronous_commit = 'on'");
            assertAnswered(CompletableFuture.runAsync(() -> {
                try {
                    run(client, "INSERT INTO own VALUES (1)");
                    cluster.run("INSERT INTO own VALUES (2)");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }));
            assertThat(text(client, "SHOW synchronous_commit")).isEqualTo("on");
        } finally {
            set("synchronous_standby_names", "DEFAULT");
            set("synchronous_commit", "DEFAULT");
        }
    }

    private static void assertWaitsForReplay(Connection replica) throws Exception {
        set("synchronous_commit", "'remote_apply'");
        run(replica, "SELECT pg_wal_replay_pause()");
        await("the standby has paused its replay; see pg_get_wal_replay_pause_state()")
                .atMost(PATIENCE)
                .until(() -> "paused".equals(text(replica, "SELECT pg_get_wal_replay_pause_state()")));
        CompletableFuture<Void> seen = commit(4);
        assertWaits(seen);
        run(replica, "SELECT pg_wal_replay_resume()");
        assertAnswered(seen);
        assertThat(text(replica, "SELECT count(*) FROM t")).isEqualTo("4");
        set("synchronous_commit", "DEFAULT");
    }

    /** Cancels the wait, after which the engine itself would report a commit. */
    private static void cancelWait() throws SQLException {
        String wait = text(master, WAIT);
        run(master, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        await("the canceled wait has ended; see: " + WAIT)
                .atMost(PATIENCE)
                .until(() -> wait == null || !wait.equals(text(master, WAIT)));
    }

    private static CompletableFuture<Void> commit(int row) {
        return CompletableFuture.runAsync(() -> {
            try {
                cluster.run("INSERT INTO t VALUES (" + row + ")");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void insertInATransaction(int row) {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "INSERT INTO t VALUES (" + row + ")");
            connection.commit();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void assertWaits(CompletableFuture<Void> commit) {
        await("the commit waits for a standby; see: " + WAIT).atMost(PATIENCE).until(() -> text(master, WAIT) != null);
        assertThat(commit).isNotDone();
    }

    @SafeVarargs
    private static void assertAnswered(CompletableFuture<Void>... commits) {
        for (CompletableFuture<Void> commit : commits) {
            assertThat(commit).succeedsWithin(PATIENCE);
        }
    }

    /**
     * Returns when all sessions have received the signal to reload the settings: the postmaster signals its sessions
     * before it accepts a new connection.
     */
    private static void set(String name, String value) throws Exception {
        String before = text(master, "SHOW " + name);
        run(master, "ALTER SYSTEM SET " + name + " = " + value, "SELECT pg_reload_conf()");
        await("new sessions have the new value of " + name + "; see pg_settings on the master")
                .atMost(PATIENCE)
                .until(() -> {
                    try (Connection connection = cluster.direct("master")) {
                        return !text(connection, "SHOW " + name).equals(before);
                    }
                });
    }

    /** Starts a standby of the running master; the launcher names it after its node. */
    private static RunningEngine standby() {
        NodeSpec node = NodeSpec.embedded("standby", Role.SATELLITE, "postgresql", CoreSet.ALL, Storage.DISK)
                .withSettings(Map.of("synchronous_standby_names", ""));
        return Launchers.startStandby(node, cluster.engine("master"), "shop", state);
    }

    private static Connection direct(RunningEngine engine) throws SQLException {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }
}
