// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** EXPLAIN ROUTE says where a statement would run, and runs nothing. */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("slow")
class ExplainRouteTest {
    private static TestCluster cluster;

    private Connection client;

    ExplainRouteTest(String engine) {}

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                optimization: C2
                cache: {size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: whole, role: satellite, memory: 128m}
                - {name: part, role: satellite, memory: 128m, tables: [other]}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL, name varchar(20))",
                "CREATE TABLE other (id int PRIMARY KEY)",
                "INSERT INTO item VALUES (1, 0, 'a')");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = cluster.connect();
    }

    @AfterEach
    void disconnect() throws SQLException {
        client.close();
    }

    private Map<String, String> explain(String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement("EXPLAIN ROUTE " + sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                return items(rows);
            }
        }
    }

    private static Map<String, String> items(ResultSet rows) throws SQLException {
        Map<String, String> items = new LinkedHashMap<>();
        while (rows.next()) {
            items.put(rows.getString("item"), rows.getString("value"));
        }
        return items;
    }

    @Test
    void shouldExplainAReadWithItsNodesAndItsCacheEntry() throws SQLException {
        String read = "SELECT n FROM item WHERE id = ?";
        await().untilAsserted(() -> assertThat(explain(read, 1)).containsKey("depends on"));
        Map<String, String> items = explain(read, 1);
        assertThat(items)
                .contains(
                        entry("classification", "PURE_READ"),
                        entry("tables", "item"),
                        entry("runs", "on a satellite that is fresh enough, or from the result cache"),
                        entry("chosen node", "whole"),
                        entry("expected wait", "0 ms"),
                        entry("result cache", "no result is kept"),
                        entry("depends on", "item (id, n), rows with one value of id"));
        assertThat(items.get("node whole")).startsWith("fresh enough; applied SCN ");
        assertThat(items.get("node part")).startsWith("does not hold all tables; ");
        assertThat(items.get("needed SCN")).matches("\\d+ of \\d+ published");
        try (PreparedStatement statement = client.prepareStatement(read)) {
            statement.setInt(1, 1);
            statement.executeQuery().close();
        }
        assertThat(explain(read, 1).get("result cache")).startsWith("a valid result of SCN ");
        assertThat(explain(read, 2).get("result cache")).isEqualTo("no result is kept");
        Sql.run(client, "UPDATE item SET n = n + 1");
        assertThat(explain(read, 1).get("result cache")).startsWith("an outdated result of SCN ");
    }

    @Test
    void shouldExplainWhyTheMasterRunsAStatement() throws SQLException {
        assertThat(explain("UPDATE item SET n = 7 WHERE id = 1"))
                .contains(entry("classification", "MASTER"), entry("runs", "on the master: update"));
        assertThat(explain("SELECT n FROM item FOR UPDATE"))
                .contains(
                        entry("decided by", "the word UPDATE"),
                        entry("runs", "on the master: not proved a pure read: the word UPDATE"));
        assertThat(explain("/*+ multimed: master */ SELECT n FROM item"))
                .contains(entry("hints", "master"), entry("runs", "on the master: a hint of the statement"));
        assertThat(explain("/*+ multimed: slave */ SELECT n FROM item").get("runs"))
                .startsWith("nowhere: refused (42601): ");
        try (PreparedStatement statement = client.prepareStatement("SELECT count(*) FROM item WHERE n = 7");
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            assertThat(rows.getInt(1)).as("the explained UPDATE did not run").isZero();
        }
    }

    @Test
    void shouldExplainHintsForNodesAndFreshness() throws SQLException {
        assertThat(explain("/*+ multimed: node=part */ SELECT id FROM other"))
                .contains(entry("hints", "node=part"), entry("chosen node", "part"))
                .containsEntry(
                        "result cache",
                        "not used (off, bypassed at present, or the result may depend on more than rows)");
        assertThat(explain("/*+ multimed: node=part */ SELECT id FROM item"))
                .contains(entry("chosen node", "master"), entry("expected wait", "0 ms"));
        assertThat(explain("/*+ multimed: freshness=30s */ SELECT id FROM item"))
                .containsEntry("hints", "freshness=30000ms");
        assertThat(explain("/*+ multimed: node=master */ SELECT id FROM item"))
                .containsEntry("runs", "on the master: a hint of the statement")
                .doesNotContainKey("chosen node");
        assertThat(explain("/*+ multimed: node=elsewhere */ SELECT id FROM item"))
                .doesNotContainKey("chosen node")
                .extractingByKey("runs", STRING)
                .startsWith("nowhere: refused (22023): the hint node=elsewhere names no node of the System Model");
    }

    @Test
    void shouldExplainThatTheCacheKeepsResultsOfPreparedStatementsOnly() throws SQLException {
        await().untilAsserted(() -> assertThat(explain("SELECT n FROM item WHERE id = 3"))
                .containsEntry("result cache", "no result is kept"));
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery("EXPLAIN ROUTE SELECT n FROM item WHERE id = 3")) {
            assertThat(items(rows)).containsEntry("result cache", "for prepared statements only: no result is kept");
        }
        try (Statement statement = client.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED CACHE STATEMENTS")) {
            while (rows.next()) {
                assertThat(rows.getString("statement")).doesNotContain("id = 3");
            }
        }
    }

    @Test
    void shouldExplainStatementsThatAreNeitherReadsNorUpdates() throws SQLException {
        assertThat(explain("CREATE TABLE never (id int)").get("runs")).startsWith("on the master");
        assertThat(explain("DROP TABLE item").get("runs")).startsWith("on the master");
        assertThat(explain("START TRANSACTION READ ONLY"))
                .containsEntry("runs", "on no node: the next statement decides");
        Sql.run(client, "CREATE TABLE never (id int)", "DROP TABLE never");
    }

    @Test
    void shouldExplainTheStateOfTheSession() throws SQLException {
        client.setAutoCommit(false);
        client.setReadOnly(true);
        try (PreparedStatement statement = client.prepareStatement("SELECT id FROM other WHERE id > 7")) {
            statement.executeQuery().close();
        }
        assertThat(explain("SELECT n FROM item").get("runs")).startsWith("on the node that the session has already");
        client.commit();
    }

    @Test
    void shouldExplainReadsOfTransactionsThatWrite() throws SQLException {
        client.setAutoCommit(false);
        for (int level : List.of(Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ)) {
            client.setTransactionIsolation(level);
            await().untilAsserted(() ->
                    assertThat(explain("SELECT n FROM item").get("runs")).startsWith("on a satellite"));
            client.rollback();
            read("SELECT n FROM item");
            assertThat(explain("UPDATE item SET n = 1").get("runs")).startsWith("on the master");
            client.rollback();
        }
    }

    private void read(String sql) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement(sql)) {
            statement.executeQuery().close();
        }
    }
}
