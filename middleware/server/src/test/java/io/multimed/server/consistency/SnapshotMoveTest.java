// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * At REPEATABLE READ, a read-write transaction that probably only reads begins on a satellite. At its first write it
 * moves to the master, if nothing has changed that it has read.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class SnapshotMoveTest {
    private static final int ROWS = 300;
    private static final int CLIENTS = 4;
    private static final int TRANSFERS = 60;

    private static final AtomicInteger TEXTS = new AtomicInteger();

    private static TestCluster cluster;

    private final boolean failsWholly;
    private Connection client;
    private Connection other;

    SnapshotMoveTest(String engine) {
        this.failsWholly = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m}
                """.formatted(engine)).awaitOnline();
        cluster.run("CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL)");
        cluster.insert("INSERT INTO account VALUES (?, 100)", 1, ROWS);
        awaitReadsOnTheSatellite();
    }

    /** Waits until the names of the tables are known. */
    private static void awaitReadsOnTheSatellite() throws SQLException {
        try (Connection connection = transactions()) {
            await().until(() -> {
                balance(connection, 1);
                boolean read = node(connection).equals("satellite");
                connection.rollback();
                return read;
            });
        }
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void connect() throws SQLException {
        client = transactions();
        other = cluster.connect();
        try (PreparedStatement reset = other.prepareStatement("UPDATE account SET balance = 100")) {
            reset.executeUpdate();
        }
    }

    @AfterEach
    void disconnect() throws SQLException {
        client.close();
        other.close();
    }

    private static Connection transactions() throws SQLException {
        Connection connection = cluster.connect();
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        return connection;
    }

    /** Reads by a text that no earlier transaction has had, so that nothing is predicted. */
    private static int balance(Connection connection, int id) throws SQLException {
        return read(connection, "SELECT balance, %d FROM account WHERE id = ?".formatted(TEXTS.incrementAndGet()), id);
    }

    private static int read(Connection connection, String sql, int id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setInt(1, id);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                return rows.getInt(1);
            }
        }
    }

    private static void set(Connection connection, int id, int balance) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
            update.setInt(1, balance);
            update.setInt(2, id);
            update.executeUpdate();
        }
    }

    private static void assertConflict(SQLException failure) {
        assertThat(failure.getSQLState()).as(failure.toString()).isEqualTo("40001");
    }

    @Test
    void shouldKeepItsSnapshotOnTheSatelliteAndMoveAtTheFirstWrite() throws SQLException {
        assertThat(balance(client, 1)).isEqualTo(100);
        set(other, 2, 7);
        assertThat(balance(client, 1)).isEqualTo(100);
        assertThat(node(client)).isEqualTo("satellite");
        set(client, 1, 50);
        assertThat(node(client)).isEqualTo("master");
        assertThat(balance(client, 1)).isEqualTo(50);
        assertThat(balance(client, 2)).as("nothing said before that it is 100").isEqualTo(7);
        client.commit();
        assertThat(balance(other, 1)).isEqualTo(50);
        assertThat(balance(client, 1)).isEqualTo(50);
        assertThat(node(client)).isEqualTo("satellite");
        client.commit();
    }

    @Test
    void shouldReadOneSnapshotOnASatellite() throws SQLException {
        String read = "SELECT balance FROM account WHERE id = ? AND id < 1000";
        assertThat(read(client, read, 1)).isEqualTo(100);
        set(other, 1, 7);
        assertThat(read(client, read, 1)).isEqualTo(100);
        client.commit();
        assertThat(read(client, read, 1)).isEqualTo(7);
        client.commit();
    }

    @Test
    void shouldFailIfWhatItHasReadHasChanged() throws SQLException {
        assertThat(balance(client, 1)).isEqualTo(100);
        set(other, 1, 7);
        assertThatThrownBy(() -> set(client, 2, 50))
                .isInstanceOfSatisfying(SQLException.class, SnapshotMoveTest::assertConflict)
                .hasMessageContaining("before its first write");
        assertThatThrownBy(() -> set(client, 2, 60))
                .as("only the end is possible")
                .isInstanceOf(SQLException.class);
        client.rollback();
        assertThat(balance(client, 2)).isEqualTo(100);
        set(client, 2, 60);
        client.commit();
        assertThat(balance(other, 2)).isEqualTo(60);
    }

    @Test
    void shouldNoticeRowsThatAppearAndDisappear() throws SQLException {
        assertThat(read(client, "SELECT count(*) FROM account WHERE balance > ?", 1_000))
                .isZero();
        set(other, 5, 2_000);
        assertThatThrownBy(() -> set(client, 2, 50))
                .isInstanceOfSatisfying(SQLException.class, SnapshotMoveTest::assertConflict);
        client.rollback();
    }

    @Test
    void shouldBeginOnTheMasterIfSuchTransactionsWrite() throws SQLException {
        String read = "SELECT balance FROM account WHERE id = ? AND id < 2000";
        int moves = 0;
        for (int i = 0; i < 10; i++) {
            read(client, read, 1);
            moves += node(client).equals("satellite") ? 1 : 0;
            set(client, 1, i);
            client.commit();
        }
        assertThat(moves).isBetween(1, 4);
        read(client, read, 1);
        assertThat(node(client)).isEqualTo("master");
        client.commit();
        await("transactions that only read begin on satellites again").until(() -> {
            read(client, read, 1);
            boolean satellite = node(client).equals("satellite");
            client.commit();
            return satellite;
        });
    }

    @Test
    void shouldMoveForAStatementThatIsNotAPlainRead() throws SQLException {
        balance(client, 1);
        client.setSavepoint("here");
        set(client, 1, 1);
        client.commit();
        balance(client, 1);
        read(client, "SELECT balance FROM account WHERE id = ? FOR UPDATE", 1);
        assertThat(node(client)).isEqualTo("master");
        assertThat(balance(client, 1)).isEqualTo(1);
        assertThat(node(client)).isEqualTo("master");
        client.rollback();
    }

    @Test
    void shouldReadTheRestOfAResultAfterTheMove() throws SQLException {
        List<Integer> seen = new ArrayList<>();
        try (PreparedStatement select = client.prepareStatement("SELECT balance FROM account ORDER BY id")) {
            select.setFetchSize(10);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    seen.add(rows.getInt(1));
                    if (seen.size() == 20) {
                        assertThat(node(client)).isEqualTo("satellite");
                        set(client, ROWS, 7);
                    }
                }
            }
        }
        assertThat(seen).as("the snapshot of the query").hasSize(ROWS).containsOnly(100);
        client.commit();
        assertThat(balance(other, ROWS)).isEqualTo(7);
    }

    @Test
    void shouldBeCanceledWhileItReadsTheRestOfAResult() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try (PreparedStatement select =
                        client.prepareStatement("SELECT a.id FROM account a, account b, account c, account d");
                Statement update = client.createStatement()) {
            select.setFetchSize(10);
            try (ResultSet rows = select.executeQuery()) {
                assertThat(rows.next()).isTrue();
                Future<Integer> write =
                        thread.submit(() -> update.executeUpdate("UPDATE account SET balance = 1 WHERE id = 1"));
                await().until(() -> {
                    update.cancel();
                    return write.isDone();
                });
                assertThatThrownBy(write::get).hasMessageContaining("canceled before it began");
                assertThat(rows.next()).as("the result remains").isTrue();
            }
            client.rollback();
        } finally {
            thread.shutdownNow();
        }
    }

    @Test
    void shouldLeaveTheStateAfterAnErrorToTheEngine() throws SQLException {
        for (boolean first : new boolean[] {true, false}) {
            if (!first) {
                balance(client, 1);
            }
            assertThatThrownBy(() -> read(client, "SELECT (SELECT balance FROM account) FROM account WHERE id = ?", 1))
                    .hasMessageContaining("more than");
            if (failsWholly) {
                assertThatThrownBy(() -> set(client, 1, 1))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                failure -> assertThat(failure.getSQLState()).isEqualTo("25P02"));
                client.rollback();
            }
            set(client, 1, 1);
            client.commit();
        }
        assertThat(balance(other, 1)).isEqualTo(1);
    }

    @Test
    void shouldReadOnAfterAChangeOfTheSchema() throws SQLException {
        balance(client, 1);
        run(other, "CREATE TABLE another (id int PRIMARY KEY)");
        assertThat(balance(client, 2)).isEqualTo(100);
        assertThat(node(client)).isEqualTo("satellite");
        assertThatThrownBy(() -> set(client, 2, 50))
                .isInstanceOfSatisfying(SQLException.class, SnapshotMoveTest::assertConflict);
        client.rollback();
        awaitReadsOnTheSatellite();
    }

    @Test
    void shouldReportAParameterWithoutAValue() throws SQLException {
        assertThatThrownBy(() -> text(client, "SELECT balance FROM account WHERE id = ?"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("syntax");
        client.rollback();
        assertThat(balance(client, 1)).isEqualTo(100);
        client.commit();
    }

    @Test
    void shouldAnswerASecondBeginAsTheMasterDoes() throws SQLException {
        assumeTrue(failsWholly, "a second BEGIN commits first");
        balance(client, 1);
        run(client, "START TRANSACTION READ WRITE");
        set(client, 1, 1);
        client.rollback();
        balance(client, 1);
        run(client, "START TRANSACTION READ ONLY");
        assertThatThrownBy(() -> set(client, 1, 1)).hasMessageContaining("read-only");
        client.rollback();
    }

    @Tag("exhaustive")
    @Test
    void shouldLoseNoUpdates() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<Integer>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(i);
                clients.add(threads.submit(() -> transfer(random)));
            }
            int onSatellite = 0;
            for (Future<Integer> each : clients) {
                onSatellite += each.get();
            }
            assertThat(onSatellite).as("transactions that moved").isPositive();
        } finally {
            threads.shutdownNow();
        }
        assertThat(read(other, "SELECT sum(balance) FROM account WHERE id <= ?", 4))
                .isEqualTo(400);
    }

    /** Moves money between few accounts, from balances that were read before, and returns how often it moved. */
    private static int transfer(Random random) throws SQLException {
        int moved = 0;
        try (Connection own = transactions()) {
            for (int done = 0; done < TRANSFERS; ) {
                int from = 1 + random.nextInt(4);
                int to = 1 + from % 4;
                try {
                    int before = balance(own, from);
                    boolean onSatellite = node(own).equals("satellite");
                    int others = balance(own, to);
                    set(own, from, before - 1);
                    set(own, to, others + 1);
                    own.commit();
                    moved += onSatellite ? 1 : 0;
                    done++;
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).as(e.toString()).isIn("40001", "40P01");
                    own.rollback();
                }
            }
        }
        return moved;
    }
}
