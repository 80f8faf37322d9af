// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Reads that run before a node begins their transaction leave the transaction in the state that an engine would. */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class BeforeBeginTest {
    private static final String ON_MASTER = "master";
    private static final String READ = "SELECT n FROM item WHERE id = 1";

    private static final String SLOW = "/*+ multimed: class=slow */ SELECT id FROM brake";

    private static TestCluster cluster;

    private final boolean failsWholly;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private Connection client;

    BeforeBeginTest(String engine) {
        this.failsWholly = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                cache: {size: 16m}
                classes:
                - {name: slow, concurrency: 1, wait: 5m}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run(
                "CREATE TABLE item (id int PRIMARY KEY, n int NOT NULL)",
                "INSERT INTO item VALUES (1, 0), (2, 0)",
                "CREATE TABLE brake (id int PRIMARY KEY)",
                "CREATE VIEW clock AS SELECT id, CURRENT_TIMESTAMP AS t FROM item");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = cluster.connect();
        client.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        client.setAutoCommit(false);
        awaitReadsElsewhere(client);
    }

    /** Waits until the names of the tables are known. */
    private static void awaitReadsElsewhere(Connection connection) {
        await().until(() -> {
            text(connection, READ);
            boolean begun = node(connection).equals(ON_MASTER);
            connection.rollback();
            return !begun;
        });
    }

    @AfterEach
    void disconnect() throws SQLException {
        threads.shutdownNow();
        client.close();
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getString(1);
        }
    }

    private String text(String sql) throws SQLException {
        return text(client, sql);
    }

    @Test
    void shouldEndTheModesOfATransactionOfReads() throws SQLException {
        try (Connection other = cluster.connect()) {
            other.setAutoCommit(false);
            Sql.run(other, "SET TRANSACTION READ ONLY");
            text(other, READ);
            other.commit();
            Sql.run(other, "UPDATE item SET n = n + 1 WHERE id = 2");
            other.commit();
            other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            Sql.run(other, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
            text(other, READ);
            other.commit();
            String before = text(other, "SELECT n FROM item WHERE id = 2");
            cluster.run("UPDATE item SET n = n + 1 WHERE id = 2");
            assertThat(text(other, "SELECT n FROM item WHERE id = 2"))
                    .as("the next transaction has its own level")
                    .isEqualTo(before);
            other.commit();
        }
    }

    @Test
    void shouldJoinNoKeptResultWithALaterSnapshot() throws SQLException {
        cluster.run("UPDATE item SET n = 50");
        for (int i = 0; i < 3; i++) {
            text(READ); // is kept
        }
        try (Connection reader = cluster.connect()) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.setAutoCommit(false);
            text(reader, "SELECT 1");
            assertThat(text(reader, READ)).isEqualTo("50");
            assertThat(Sql.route(reader)).contains("cache");
            cluster.run("UPDATE item SET n = 51");
            cluster.awaitApplied();
            assertThat(text(reader, "SELECT n FROM item WHERE id = 2")).isEqualTo("50");
            reader.commit();
        }
        cluster.run("UPDATE item SET n = 0");
    }

    @Test
    void shouldShowOneTimeInAView() throws SQLException {
        assumeTrue(failsWholly, "the time is that of the statement");
        String first = text("SELECT t FROM clock WHERE id = 1");
        assertThat(text("SELECT t FROM clock WHERE id = 1")).isEqualTo(first);
        client.rollback();
    }

    @Test
    void shouldNotContinueAFailedTransactionOnAnotherNode() throws SQLException {
        assumeTrue(failsWholly, "transactions continue after an error");
        try (Connection other = cluster.connect()) {
            other.setAutoCommit(false);
            other.setReadOnly(true);
            text(other, "SELECT n + 7 FROM item WHERE id = 1");
            assertThatThrownBy(() -> text(other, "SELECT 1 / n FROM item WHERE n = 0 AND id = 1"))
                    .isInstanceOf(SQLException.class);
            assertThatThrownBy(() -> text(other, "/*+ multimed: master */ " + READ))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            failure -> assertThat(failure.getSQLState()).isEqualTo("25P02"));
            other.rollback();
        }
    }

    @Test
    void shouldKnowOfTheTransactionAfterAPing() throws SQLException {
        text(READ);
        assertThat(client.isValid(10)).isTrue();
        assertThatThrownBy(() -> client.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                .hasMessageContaining("in the middle of a transaction");
        client.commit();
    }

    @Test
    void shouldEndAfterItsReadWasCanceledWhileItWaitedForItsClass() throws Exception {
        try (Connection blocking = cluster.direct("satellite")) {
            lockBrake(blocking);
            try (Connection first = cluster.connect();
                    Statement running = first.createStatement();
                    Statement waiting = client.createStatement()) {
                Future<?> runs = threads.submit(() -> running.executeQuery(SLOW));
                awaitClass("running", 1);
                Future<?> waits = threads.submit(() -> waiting.executeQuery(SLOW));
                awaitClass("waiting", 1);
                waiting.cancel();
                assertThatThrownBy(waits::get).hasRootCauseInstanceOf(SQLException.class);
                if (failsWholly) {
                    assertThatThrownBy(() -> text(READ))
                            .isInstanceOfSatisfying(
                                    SQLException.class,
                                    failure -> assertThat(failure.getSQLState()).isEqualTo("25P02"));
                } else {
                    text(READ);
                }
                client.rollback();
                text(READ);
                client.commit();
                blocking.close();
                runs.get();
            }
        }
        awaitClass("running", 0);
    }

    private void lockBrake(Connection satellite) throws SQLException {
        cluster.awaitApplied();
        if (failsWholly) {
            satellite.setAutoCommit(false);
            Sql.run(satellite, "LOCK TABLE brake IN ACCESS EXCLUSIVE MODE");
        } else {
            Sql.run(satellite, "LOCK TABLES brake WRITE");
        }
    }

    private void awaitClass(String column, long value) {
        await(column).until(() -> {
            try (Connection other = cluster.connect();
                    Statement statement = other.createStatement();
                    ResultSet rows = statement.executeQuery("SHOW MULTIMED CLASSES")) {
                rows.next();
                return rows.getLong(column) == value;
            }
        });
    }

    @Test
    void shouldExplainAnUpdateWithTheHintThatDoesNotConcernIt() throws SQLException {
        Sql.run(client, "/*+ multimed: class=nope */ UPDATE item SET n = n");
        assertThat(text("EXPLAIN ROUTE /*+ multimed: class=nope */ UPDATE item SET n = n"))
                .isEqualTo("classification");
        client.rollback();
    }
}
