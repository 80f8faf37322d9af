// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.deploy.load.EngineSql;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Tests a master that does not respond because all packets between the master and the middleware are dropped. No
 * request waits without limit, no reply is wrong, and the system recovers when the packets arrive again. The master's
 * own sessions never learn that the middleware has given them up.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class SilentMasterTest {
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private static ProxiedCluster cluster;

    private static volatile boolean stopped;

    private final EngineSql speech;

    SilentMasterTest(String engine) {
        speech = EngineSql.of(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = new ProxiedCluster(engine);
        run("CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL)", "INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)");
    }

    @AfterParameterizedClassInvocation
    static void stop() throws Exception {
        cluster.close();
    }

    @AfterEach
    void heal() {
        cluster.beforeMaster().drop(false);
        await("the master is ONLINE again: see its trouble").atMost(PATIENCE).untilAsserted(() -> {
            NodeStatus status = cluster.middleware().status().nodes().get(0);
            assertThat(status.state()).as(status.trouble()).isEqualTo("ONLINE");
        });
    }

    private static void run(String... statements) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    private static String master() {
        return cluster.middleware().status().nodes().get(0).state();
    }

    private static int value(int id) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT n FROM t WHERE id = " + id)) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldFailWaitingClientsAndContinueWithoutARestart() throws Exception {
        try (Connection client = cluster.connect();
                Statement statement = client.createStatement()) {
            client.setAutoCommit(false);
            statement.executeUpdate("UPDATE t SET n = n + 1 WHERE id = 1");
            cluster.beforeMaster().drop(true);
            long begin = System.nanoTime();
            assertThatThrownBy(() -> statement.executeUpdate("UPDATE t SET n = n + 1 WHERE id = 2"))
                    .extracting("SQLState")
                    .isEqualTo("40001");
            double broken = seconds(begin);
            await("the silent master is OFFLINE").atMost(PATIENCE).until(() -> master().equals("OFFLINE"));
            assertThat(cluster.middleware().status().nodes().get(0).trouble()).contains("it has not responded");
            assertThat(value(3)).as("satellites serve meanwhile").isZero();
            System.out.printf(
                    "a statement on a silent master failed after %.1f s, noticed after %.1f s%n",
                    broken, seconds(begin));
        }
        cluster.beforeMaster().drop(false);
        long healed = System.nanoTime();
        // The transaction of the lost session still locks the row on the master, until Multimed ends the session.
        await("an update succeeds: see the locks on the master")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .until(() -> {
                    run("UPDATE t SET n = n + 10 WHERE id = 1");
                    return true;
                });
        System.out.printf("updates go on %.1f s after the master is back%n", seconds(healed));
        assertThat(value(1)).as("what was not committed is not there").isEqualTo(10);
    }

    @Test
    void shouldReportTheRightOutcomeOfACommitDuringTheSilence() throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(8);
        try {
            stopped = false;
            int before = value(2);
            @SuppressWarnings({"unchecked", "rawtypes"})
            Future<Integer>[] committed = new Future[4];
            for (int i = 0; i < committed.length; i++) {
                committed[i] = clients.submit(SilentMasterTest::incrementUntilTrouble);
            }
            await("updates are acknowledged: see the clients' errors")
                    .atMost(PATIENCE)
                    .until(() -> value(2) > before + 20);
            cluster.beforeMaster().drop(true);
            await("the silent master is OFFLINE").atMost(PATIENCE).until(() -> master().equals("OFFLINE"));
            cluster.beforeMaster().drop(false);
            stopped = true; // a commit may succeed in the meantime; its client then sees no error
            int acknowledged = 0;
            for (Future<Integer> client : committed) {
                acknowledged += client.get();
            }
            assertThat(value(2) - before).isEqualTo(acknowledged);
        } finally {
            clients.shutdownNow();
        }
    }

    /** Returns how many commits succeeded before one was refused, or a connection broke outside of a commit. */
    private static int incrementUntilTrouble() throws SQLException {
        int committed = 0;
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            while (!stopped) {
                try {
                    statement.executeUpdate("UPDATE t SET n = n + 1 WHERE id = 2");
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(e.getMessage()).isIn("08001", "40001", "57P03");
                    return committed;
                }
                try {
                    connection.commit();
                    committed++;
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("40001");
                    return committed;
                }
            }
            return committed;
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldLeaveALongStatementAlone() throws Exception {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE t SET n = n + 1 WHERE id = 3");
            assertThat(statement.execute(speech.sleep(9))).isTrue();
            connection.rollback();
        }
    }

    private static double seconds(long begin) {
        return (System.nanoTime() - begin) / 1e9;
    }
}
