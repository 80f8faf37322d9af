// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Statements choose their node, and how fresh their results must be, by a comment. */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("slow")
class HintTest {
    private static TestCluster cluster;

    private Connection client;

    HintTest(String engine) {
        assertThat(engine).isNotEmpty();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                cache: {size: 16m}
                freshness: {wait: 2s}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: first, role: satellite, memory: 128m}
                - {name: second, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run("CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL)", "INSERT INTO item VALUES (1, 0)");
        cluster.run("CREATE TABLE brake (id int PRIMARY KEY, n int NOT NULL)", "INSERT INTO brake VALUES (1, 0)");
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

    private int read(String sql) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.next()).isTrue();
            return rows.getInt(1);
        }
    }

    /** Returns the node that has answered a read, and the reason. */
    private String route(String sql) throws SQLException {
        read(sql);
        return Sql.route(client);
    }

    @Test
    void shouldReadOnTheNodeOfTheHint() throws SQLException {
        for (int i = 0; i < 4; i++) {
            assertThat(route("/*+ multimed: node=first */ SELECT n FROM item")).startsWith("first: ");
            assertThat(route("SELECT /*+ multimed: node=second */ n FROM item")).startsWith("second: ");
            assertThat(route("/*+ multimed: master */ SELECT n FROM item"))
                    .isEqualTo("master: a hint of the statement");
            assertThat(route("/*+ multimed: node=master */ SELECT n FROM item"))
                    .isEqualTo("master: a hint of the statement");
        }
        client.setReadOnly(true);
        client.setAutoCommit(false);
        assertThat(route("/*+ multimed: node=second */ SELECT n FROM item")).startsWith("second: ");
        assertThat(route("/*+ multimed: node=first */ SELECT n FROM item"))
                .as("the node of a transaction is that of its first statement")
                .startsWith("second: ");
        client.commit();
    }

    @Test
    void shouldRefuseHintsThatDoNotExist() throws SQLException {
        assertThatThrownBy(() -> read("/*+ multimed: slave */ SELECT n FROM item"))
                .hasMessageContaining("\"slave\"")
                .hasMessageContaining("master, node=NAME")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("42601"));
        assertThatThrownBy(() -> read("/*+ multimed: node=third */ SELECT n FROM item"))
                .hasMessageContaining("node=third names no node")
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("22023"));
        assertThat(read("SELECT n FROM item")).as("the session continues").isNotNegative();
    }

    @Test
    void shouldNotUseTheCacheIfTheHintSwitchesItOff() throws SQLException {
        await().until(() -> route("SELECT n + 1 FROM item").contains("result cache"));
        for (int i = 0; i < 5; i++) {
            assertThat(route("/*+ multimed: cache=off */ SELECT n + 1 FROM item"))
                    .contains("satellite");
        }
    }

    @Test
    void shouldAnswerFromTheCacheWithinTheFreshnessOfTheHint() throws SQLException {
        String relaxed = "/*+ multimed: freshness=10m */ SELECT sum(n) FROM item";
        await().until(() -> route(relaxed).contains("result cache"));
        int before = read(relaxed);
        Sql.run(client, "UPDATE item SET n = n + 1");
        assertThat(read(relaxed)).isEqualTo(before);
        assertThat(read("SELECT sum(n) FROM item")).as("without the hint").isEqualTo(before + 1);
        assertThat(read("/*+ multimed: freshness=0s */ SELECT sum(n) FROM item"))
                .isEqualTo(before + 1);
        client.setAutoCommit(false);
        client.setReadOnly(true);
        client.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        assertThat(read(relaxed)).as("in a transaction of several statements").isEqualTo(before + 1);
        client.commit();
    }

    @Test
    void shouldNotReturnColumnsFromBeforeASchemaChange() throws SQLException {
        Sql.run(client, "CREATE TABLE changing (id int PRIMARY KEY)");
        Sql.run(client, "INSERT INTO changing VALUES (1)");
        String relaxed = "/*+ multimed: freshness=10m */ SELECT * FROM changing";
        await().until(() -> route(relaxed).contains("result cache"));
        Sql.run(client, "ALTER TABLE changing ADD COLUMN name varchar(10)");
        cluster.awaitApplied(); // a satellite that is behind has the earlier schema
        try (PreparedStatement statement = client.prepareStatement(relaxed);
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(2);
        }
        Sql.run(client, "DROP TABLE changing");
    }

    @Test
    void shouldReadOnASatelliteThatIsBehindByNoMoreThanIsAccepted() throws SQLException {
        String strict = "/*+ multimed: cache=off node=first */ SELECT n FROM brake";
        String relaxed = "/*+ multimed: cache=off node=first freshness=10m */ SELECT n FROM brake";
        int before = read(relaxed);
        try (Connection satellite = cluster.direct("first")) {
            cluster.awaitApplied();
            satellite.setAutoCommit(false);
            Sql.text(satellite, "SELECT n FROM brake FOR UPDATE");
            Sql.run(client, "UPDATE brake SET n = n + 1");
            assertThat(route(relaxed))
                    .isEqualTo("first: read on a satellite that is behind by no more than the statement accepts");
            assertThat(read(relaxed)).isEqualTo(before);
            assertThat(read(strict)).isEqualTo(before + 1);
            assertThat(client.unwrap(MultimedConnection.class).lastNode()).isEqualTo("master");
            satellite.rollback();
            cluster.awaitApplied();
        }
    }
}
