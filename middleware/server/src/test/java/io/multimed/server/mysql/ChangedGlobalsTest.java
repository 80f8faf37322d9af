// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * After a change of the server's settings, all clients receive the same answers from all nodes, whether they were
 * connected before or not.
 */
@Tag("exhaustive")
@Timeout(300)
class ChangedGlobalsTest {
    private static final int CLIENTS = 3;

    /** A statement that changes a setting, the one that undoes it, a query, and its answers before and after. */
    private record Change(String set, String undo, String query, String before, String after) {}

    private static final List<Change> CHANGES = List.of(
            new Change(
                    "SET GLOBAL div_precision_increment = 8",
                    "SET GLOBAL div_precision_increment = 4",
                    "SELECT CAST(n / 3 AS CHAR) FROM thing",
                    "3.3333",
                    "3.33333333"),
            new Change(
                    "SET GLOBAL time_zone = '+05:45'",
                    "SET GLOBAL time_zone = '+00:00'",
                    "SELECT CAST(ts AS CHAR) FROM thing",
                    "2020-06-01 12:00:00",
                    "2020-06-01 17:45:00"),
            new Change(
                    "SET @@GLOBAL.default_week_format = 3, SESSION group_concat_max_len = 100000",
                    "SET @@GLOBAL.default_week_format = 0",
                    "SELECT CAST(WEEK(ts) AS CHAR) FROM thing",
                    "22",
                    "23"),
            new Change(
                    "SET GLOBAL sql_mode = 'PIPES_AS_CONCAT,STRICT_TRANS_TABLES'",
                    "SET GLOBAL sql_mode = 'STRICT_TRANS_TABLES'",
                    "SELECT CAST(id || n AS CHAR) FROM thing",
                    "1",
                    "110"));

    private static TestCluster start(String engine) throws Exception {
        TestCluster cluster = TestCluster.of("""
                        engine: %s
                        share-cores: true
                        cache: {size: 16m}
                        nodes:
                        - {name: master, role: master, memory: 128m}
                        - {name: satellite-1, role: satellite, memory: 128m}
                        """.formatted(engine));
        cluster.awaitOnline();
        cluster.run(
                "SET GLOBAL sql_mode = 'STRICT_TRANS_TABLES'",
                "SET GLOBAL time_zone = '+00:00'",
                "CREATE TABLE thing (id INT PRIMARY KEY, n INT, name VARCHAR(100), ts TIMESTAMP NULL)",
                "CREATE TABLE noted (id INT PRIMARY KEY AUTO_INCREMENT, t VARCHAR(100))",
                "SET time_zone = '+00:00'");
        try (Connection client = cluster.connect()) {
            Sql.run(
                    client,
                    "SET time_zone = '+00:00'",
                    "INSERT INTO thing VALUES (1, 10, 'abcdefgh', '2020-06-01 12:00:00')");
        }
        return cluster;
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldAnswerAlikeAfterAChange(String engine) throws Exception {
        try (TestCluster cluster = start(engine)) {
            List<Connection> clients = connect(cluster);
            for (Change change : CHANGES) {
                awaitSatellites(clients, change.query, change.before);
                assertThat(askAll(clients, change.query)).containsOnly(change.before);
                cluster.run(change.set);
                assertThat(askAll(clients, change.query)).as(change.set).containsOnly(change.after);
                assertThat(askAll(connect(cluster), change.query)).containsOnly(change.after);
                awaitSatellites(clients, change.query, change.after);
                cluster.run(change.undo);
                assertThat(askAll(clients, change.query)).containsOnly(change.before);
            }
        }
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldNoticeAChangePastMultimed(String engine) throws Exception {
        try (TestCluster cluster = start(engine)) {
            List<Connection> clients = connect(cluster);
            Change change = CHANGES.get(0);
            awaitSatellites(clients, change.query, change.before);
            try (Connection master = cluster.direct("master")) {
                Sql.run(master, change.set);
            }
            await("all nodes have the changed settings")
                    .atMost(Duration.ofSeconds(60))
                    .untilAsserted(
                            () -> assertThat(askAll(clients, change.query)).containsOnly(change.after));
            awaitSatellites(clients, change.query, change.after);
        }
    }

    @ParameterizedTest
    @EachEngine({"mariadb", "mysql"})
    void shouldRefuseSettingsThatMultimedRequires(String engine) throws Exception {
        try (TestCluster cluster = TestCluster.withSatellites(engine, 0)) {
            for (String setting : List.of(
                    "SET GLOBAL innodb_flush_log_at_trx_commit = 2",
                    "SET @@GLOBAL.sync_binlog = 0",
                    "SET GLOBAL completion_type = 'CHAIN'",
                    "SET GLOBAL binlog_format = 'STATEMENT'")) {
                assertThatThrownBy(() -> cluster.run(setting))
                        .as(setting)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
            }
        }
    }

    private static List<Connection> connect(TestCluster cluster) throws SQLException {
        List<Connection> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(cluster.connect());
        }
        return clients;
    }

    /** Asks all clients in all the ways in which statements reach an engine, and returns the different answers. */
    private static Set<String> askAll(List<Connection> clients, String query) throws SQLException {
        Set<String> answers = new HashSet<>();
        for (Connection client : clients) {
            answers.add(Sql.text(client, query));
            answers.add(Sql.text(client, "/*+ multimed: master */ " + query));
            for (int i = 0; i < 3; i++) {
                answers.add(prepared(client, query));
            }
            client.setAutoCommit(false);
            client.setReadOnly(true);
            answers.add(Sql.text(client, query));
            client.commit();
            client.setReadOnly(false);
            Sql.run(client, "DELETE FROM noted");
            answers.add(Sql.text(client, query));
            client.commit();
            client.setAutoCommit(true);
            for (int i = 0; i < 6; i++) { // inside a commit group after some executions
                answers.add(noted(client, query));
            }
        }
        return answers;
    }

    private static String prepared(Connection client, String query) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement(query);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private static String noted(Connection client, String query) throws SQLException {
        try (PreparedStatement insert = client.prepareStatement("INSERT INTO noted (t) " + query)) {
            insert.executeUpdate();
        }
        return Sql.text(client, "SELECT t FROM noted ORDER BY id DESC LIMIT 1");
    }

    /** Returns when satellites answer, with this answer. */
    private static void awaitSatellites(List<Connection> clients, String query, String answer) {
        await("satellites have the present settings")
                .atMost(Duration.ofSeconds(60))
                .untilAsserted(() -> {
                    for (Connection client : clients) {
                        assertThat(Sql.text(client, query)).isEqualTo(answer);
                        assertThat(Sql.node(client)).startsWith("satellite");
                    }
                });
    }
}
