// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.history.HistoryChecker;
import io.multimed.deploy.history.HistoryRecorder;
import io.multimed.deploy.history.Isolation;
import io.multimed.deploy.history.Operation;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.model.ExternalConnection;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What a satellite on another machine goes through. Each method begins and ends with all nodes online. Commits are
 * never refused, no read is stale, and all copies are equal in the end.
 */
final class RemoteScenario {
    private static final int RESETS = 3;
    private static final int CLIENTS = 4;
    private static final double READS = 0.5;
    private static final long PAUSE_MILLIS = 20;

    /** A table that the master does not have. A copy of the master removes it, applied WriteSets leave it alone. */
    private static final String MARKER = "not_of_the_master";

    /** Size of a row, which no engine can compress. Larger WriteSets are stored elsewhere on some engines. */
    private static final int ROW_BYTES = 2_000;

    private final RemoteCluster cluster;
    private final Network network;
    private final ExternalConnection far;
    private final AtomicInteger counters = new AtomicInteger();

    /** @param far access to the satellite on the other machine past the network */
    RemoteScenario(RemoteCluster cluster, Network network, ExternalConnection far) throws SQLException {
        this.cluster = cluster;
        this.network = network;
        this.far = far;
        cluster.run(
                "CREATE TABLE counter (id int PRIMARY KEY, n int NOT NULL)",
                "INSERT INTO counter VALUES (0, 0)",
                "CREATE TABLE bulk (id int PRIMARY KEY, content text)");
    }

    /** Delays, late data and broken connections: the satellite answers reads nevertheless. */
    void disturb() throws Exception {
        HistoryRecorder history = record();
        try (FreshnessLoad load = load()) {
            load.awaitReadsFar(20);
            network.disturb();
            load.awaitMore(100);
            load.awaitReadsFar(20);
            for (int i = 0; i < RESETS; i++) {
                network.reset();
                load.awaitMore(50);
                load.awaitReadsFar(20);
            }
        }
        assertConsistent(history);
    }

    /** A partition that is shorter than the master keeps WriteSets: the satellite catches up. */
    void separate() throws Exception {
        HistoryRecorder history = record();
        mark();
        try (FreshnessLoad load = load()) {
            load.awaitReadsFar(20);
            int before = load.commits();
            network.partition();
            await("commits while the satellite counts as online: nothing has noticed the partition yet")
                    .atMost(RemoteCluster.PATIENCE)
                    .until(() -> load.commits() > before || !isOnline());
            assertThat(load.commits()).isGreaterThan(before);
            NodeStatus out = cluster.awaitOut();
            System.out.printf(
                    "%d commits until the satellite is %s: %s%n", load.commits() - before, out.state(), out.trouble());
            assertThat(out.trouble()).isNotBlank();
            load.awaitMore(200);
            assertThat(isOnline()).isFalse();
            heal();
            load.awaitReadsFar(20);
        }
        assertConsistent(history);
        assertThat(isMarked())
                .as("the satellite has caught up without a new copy")
                .isTrue();
        unmark();
        cluster.assertSame();
    }

    /** A partition during which the master discards WriteSets: the satellite is copied again. */
    void separateForLong() throws Exception {
        mark();
        try (FreshnessLoad load = load()) {
            network.partition();
            cluster.awaitOut();
            insertUntilDiscarded(cluster.far().applied());
            load.awaitMore(20);
            heal();
            load.awaitReadsFar(20);
        }
        assertThat(isMarked()).as("the satellite has not been copied again").isFalse();
        cluster.assertSame();
        cluster.run("TRUNCATE TABLE bulk");
    }

    /**
     * Reads that run on the satellite at the moment of the partition: a read that stands alone runs again elsewhere, a
     * transaction fails. What the satellite's engine still remembers of them does not stand in the way afterwards.
     */
    void separateDuringReads() throws Exception {
        try (Connection inTransaction = cluster.connect();
                Connection alone = cluster.connect()) {
            inTransaction.setReadOnly(true);
            inTransaction.setAutoCommit(false);
            assertThat(readFar(inTransaction)).isZero();
            assertThat(node(inTransaction)).isEqualTo(RemoteCluster.FAR);
            assertThat(readFar(alone)).isZero();
            network.partition();
            CompletableFuture<Void> failing =
                    CompletableFuture.runAsync(() -> assertThatThrownBy(() -> readFar(inTransaction))
                            .extracting("SQLState")
                            .isEqualTo("40001"));
            assertThat(readFar(alone)).isZero();
            assertThat(node(alone)).isNotEqualTo(RemoteCluster.FAR);
            failing.get(RemoteCluster.PATIENCE.toSeconds(), TimeUnit.SECONDS);
            cluster.awaitOut();
            heal();
            cluster.run("ALTER TABLE counter ADD COLUMN note int");
            cluster.assertSame();
            cluster.run("ALTER TABLE counter DROP COLUMN note");
        }
        cluster.assertSame();
    }

    private void heal() throws IOException {
        long begin = System.nanoTime();
        network.heal();
        await("the satellite is online again: see its trouble")
                .atMost(RemoteCluster.PATIENCE)
                .until(this::isOnline);
        System.out.printf("the satellite is online %.1f s after the partition%n", (System.nanoTime() - begin) / 1e9);
    }

    private FreshnessLoad load() throws SQLException {
        return FreshnessLoad.start(cluster, counters.incrementAndGet());
    }

    private HistoryRecorder record() throws SQLException {
        return HistoryRecorder.start(target(), CLIENTS, READS, Isolation.REPEATABLE_READ, PAUSE_MILLIS);
    }

    private Target target() {
        return new Target("Multimed", cluster.url(), "", "");
    }

    private void assertConsistent(HistoryRecorder history) throws Exception {
        List<Operation> operations = history.stop();
        try (Connection connection = cluster.connect()) {
            assertThat(HistoryChecker.check(operations, history.finalState(connection)))
                    .isEmpty();
        }
        assertThat(history.doubts()).as("commits in doubt").isEmpty();
    }

    private boolean isOnline() {
        return cluster.far().state().equals("ONLINE");
    }

    private static int readFar(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "/*+ multimed: node=%s */ SELECT n FROM counter WHERE id = 0".formatted(RemoteCluster.FAR))) {
            row.next();
            return row.getInt(1);
        }
    }

    private static String node(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    /** Inserts rows until the master has discarded WriteSets that the satellite needs. */
    private void insertUntilDiscarded(long applied) throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO bulk VALUES (?, ?)")) {
            AtomicInteger rows = new AtomicInteger();
            Random random = new Random(1);
            byte[] content = new byte[ROW_BYTES];
            await("the master discards WriteSets beyond queue.kept-size: see multimed.base")
                    .atMost(RemoteCluster.PATIENCE)
                    .until(() -> {
                        for (int i = 0; i < 500; i++) {
                            int id = rows.incrementAndGet();
                            insert.setInt(1, id);
                            random.nextBytes(content);
                            insert.setString(2, Base64.getEncoder().encodeToString(content));
                            insert.executeUpdate();
                        }
                        return cluster.base() > applied;
                    });
        }
    }

    private void mark() throws SQLException {
        runFar("DROP TABLE IF EXISTS " + MARKER);
        runFar("CREATE TABLE " + MARKER + " (id int)");
    }

    private void unmark() throws SQLException {
        runFar("DROP TABLE " + MARKER);
    }

    private boolean isMarked() throws SQLException {
        try (Connection connection = connectFar();
                ResultSet table = connection.getMetaData().getTables(connection.getCatalog(), null, MARKER, null)) {
            return table.next();
        }
    }

    private void runFar(String sql) throws SQLException {
        try (Connection connection = connectFar();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private Connection connectFar() throws SQLException {
        return DriverManager.getConnection(far.url(), far.user(), far.password().reveal());
    }
}
