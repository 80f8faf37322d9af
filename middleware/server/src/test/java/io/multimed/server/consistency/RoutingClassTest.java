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
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
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

/** Routing classes bind reads to satellites, and bound how many of them run and wait. */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("exhaustive")
class RoutingClassTest {
    private static final String HEAVY = "SELECT count(*) FROM heavy";
    private static final String BRIEF = "/*+ multimed: class=brief */ SELECT count(*) FROM heavy";

    private static final String LONG = "/*+ multimed: class=long */ SELECT count(*) FROM light";
    private static final int POOL = 6;

    private static TestCluster cluster;

    private final boolean locksByTransaction;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Connection> opened = new ArrayList<>();
    private Connection client;

    RoutingClassTest(String engine) {
        this.locksByTransaction = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                classes:
                - {name: brief, concurrency: 1, wait: 300ms}
                - {name: reports, tables: [heavy], concurrency: 2, queue: 1, wait: 5m}
                - {name: long, concurrency: 1, wait: 5m}
                - {name: sums, pattern: "sum *\\\\("}
                - {name: slow, tables: [light], slower-than: 20ms, concurrency: 1}
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: first, role: satellite, memory: 128m, classes: [default, slow]}
                - {name: second, role: satellite, memory: 128m, pool: %d, classes: [reports, brief, sums, long]}
                """.formatted(engine, POOL)).awaitOnline();
        cluster.run(
                "CREATE TABLE heavy (id int PRIMARY KEY)",
                "CREATE TABLE light (id int PRIMARY KEY, n int)",
                "INSERT INTO light VALUES (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (7, 7), (8, 8), (9, 9), (10, 10)");
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = open();
    }

    @AfterEach
    void disconnect() throws SQLException {
        for (Connection each : opened) {
            each.close();
        }
        threads.shutdownNow();
    }

    private Connection open() throws SQLException {
        Connection connection = cluster.connect();
        opened.add(connection);
        return connection;
    }

    private static long read(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }

    private static String node(Connection connection, String sql) throws SQLException {
        read(connection, sql);
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    private Future<Long> begin(String sql) throws SQLException {
        Connection own = open();
        return threads.submit(() -> read(own, sql));
    }

    /** Lets reads of the heavy table wait on the satellite that serves them, until the connection is closed. */
    private Connection block() throws SQLException {
        cluster.awaitApplied();
        Connection satellite = cluster.direct("second");
        if (locksByTransaction) {
            satellite.setAutoCommit(false);
            Sql.run(satellite, "LOCK TABLE heavy IN ACCESS EXCLUSIVE MODE");
        } else {
            Sql.run(satellite, "LOCK TABLES heavy WRITE");
        }
        return satellite;
    }

    private static long statistic(Connection connection, String name, String column) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SHOW MULTIMED CLASSES")) {
            do {
                assertThat(rows.next()).isTrue();
            } while (!rows.getString("class").equals(name));
            return rows.getLong(column);
        }
    }

    private void awaitStatistic(String name, String column, long value) {
        await("%s of %s".formatted(column, name))
                .atMost(Duration.ofSeconds(60))
                .until(() -> statistic(client, name, column) == value);
    }

    private static void assertRefused(SQLException failure, String name) {
        assertThat(failure.getSQLState()).isEqualTo("53400");
        assertThat(failure.getMessage()).contains("\"%s\"".formatted(name));
    }

    @Test
    void shouldRunClassesOnTheirSatellites() throws SQLException {
        for (int i = 0; i < 4; i++) {
            assertThat(node(client, "SELECT n FROM light")).isEqualTo("first");
            assertThat(node(client, HEAVY)).isEqualTo("second");
            assertThat(node(client, "SELECT SUM(n) FROM light")).isEqualTo("second");
            assertThat(node(client, "/*+ multimed: class=reports */ SELECT n FROM light"))
                    .isEqualTo("second");
            assertThat(node(client, "/*+ multimed: class=default */ SELECT sum(n) FROM light"))
                    .isEqualTo("first");
        }
        assertThatThrownBy(() -> read(client, "/*+ multimed: class=other */ SELECT n FROM light"))
                .isInstanceOfSatisfying(
                        SQLException.class,
                        failure -> assertThat(failure.getSQLState()).isEqualTo("22023"))
                .hasMessageContaining("class=other names no routing class")
                .hasMessageContaining("brief, reports, long, sums, slow");
    }

    @Test
    void shouldNeverLetAHeavyClassStopALightOne() throws Exception {
        List<Future<Long>> running = new ArrayList<>();
        Future<Long> waits;
        try (Connection blocking = block()) {
            running.add(begin(HEAVY));
            running.add(begin(HEAVY));
            awaitStatistic("reports", "running", 2);
            waits = begin(HEAVY);
            awaitStatistic("reports", "waiting", 1);
            assertThatThrownBy(() -> read(client, HEAVY))
                    .isInstanceOfSatisfying(SQLException.class, failure -> assertRefused(failure, "reports"))
                    .hasMessageContaining("is full: 2 may run at the same time (classes.concurrency), and 1 may wait");
            for (int i = 0; i < 20; i++) {
                assertThat(read(client, "SELECT max(n) FROM light")).isEqualTo(10);
            }
            assertThat(blocking.isClosed()).isFalse();
            assertThat(running).noneMatch(Future::isDone);
        }
        for (Future<Long> each : running) {
            assertThat(each.get()).isZero();
        }
        assertThat(waits.get()).isZero();
        awaitStatistic("reports", "running", 0);
    }

    @Test
    void shouldRefuseAReadThatWaitsForTooLong() throws Exception {
        try (Connection blocking = block()) {
            Future<Long> first = begin(BRIEF);
            awaitStatistic("brief", "running", 1);
            assertThatThrownBy(() -> read(client, BRIEF))
                    .isInstanceOfSatisfying(SQLException.class, failure -> assertRefused(failure, "brief"))
                    .hasMessageContaining("waited too long");
            assertThat(first).isNotDone();
            blocking.close();
            assertThat(first.get()).isZero();
        }
        awaitStatistic("brief", "running", 0);
        assertThat(read(client, BRIEF)).isZero();
    }

    @Test
    void shouldCancelAReadThatWaits() throws Exception {
        try (Connection blocking = block()) {
            Future<Long> first = begin(HEAVY);
            Future<Long> second = begin(HEAVY);
            awaitStatistic("reports", "running", 2);
            try (Statement statement = open().createStatement()) {
                Future<ResultSet> waits = threads.submit(() -> statement.executeQuery(HEAVY));
                awaitStatistic("reports", "waiting", 1);
                statement.cancel();
                assertThatThrownBy(waits::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasRootCauseInstanceOf(SQLException.class);
            }
            awaitStatistic("reports", "waiting", 0);
            assertThat(first).isNotDone();
            assertThat(second).isNotDone();
            blocking.close();
            assertThat(first.get() + second.get()).isZero();
        }
        awaitStatistic("reports", "running", 0);
    }

    @Test
    void shouldEndAReadWhoseClientHasGone() throws Exception {
        try (Connection blocking = block()) {
            Future<Long> first = begin(HEAVY);
            Future<Long> second = begin(HEAVY);
            awaitStatistic("reports", "running", 2);
            Connection leaving = open();
            Future<Long> waits = threads.submit(() -> read(leaving, HEAVY));
            awaitStatistic("reports", "waiting", 1);
            leaving.abort(Runnable::run);
            assertThatThrownBy(waits::get).isInstanceOf(ExecutionException.class);
            blocking.close();
            assertThat(first.get() + second.get()).isZero();
        }
        awaitStatistic("reports", "waiting", 0);
        awaitStatistic("reports", "running", 0);
    }

    @Test
    void shouldNotWaitForReadsThatWaitForTheConnection() throws Exception {
        List<Connection> transactions = new ArrayList<>();
        for (int i = 0; i < POOL; i++) {
            Connection each = open();
            each.setAutoCommit(false);
            each.setReadOnly(true);
            assertThat(node(each, "/*+ multimed: node=second class=sums */ SELECT n FROM light"))
                    .isEqualTo("second");
            transactions.add(each);
        }
        Future<Long> first = begin(LONG);
        awaitStatistic("long", "running", 1);
        for (Connection each : transactions) {
            assertThat(read(each, LONG)).isEqualTo(10);
        }
        assertThat(first).as("all connections belong to transactions").isNotDone();
        transactions.get(0).commit();
        assertThat(first.get()).isEqualTo(10);
        awaitStatistic("long", "running", 0);
        awaitStatistic("long", "waiting", 0);
    }

    @Test
    void shouldFindSlowStatementsByTheirCost() {
        String slow =
                "SELECT count(*) FROM light a, light b, light c, light d, light e, light f WHERE a.n + b.n < c.n + d.n";
        await("the class of a statement that took long")
                .atMost(Duration.ofSeconds(60))
                .until(() -> {
                    read(client, slow);
                    return statistic(client, "slow", "admitted") > 0;
                });
    }
}
