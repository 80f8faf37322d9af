// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.ProcessTree;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.TestPropagation;
import io.multimed.model.SystemModel;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs each test on the master and on a satellite, if both are possible. */
@Tag("slow")
@Timeout(600)
@Tag("standbys")
class LifecycleTest {
    private static final String MODEL = """
            engine: postgresql
            listen: {port: 0}
            database: shop
            share-cores: true
            nodes:
            - {name: master, role: master, memory: 128m}
            - {name: satellite, role: satellite, memory: 128m}
            """;
    private static final int ROWS = 2_000;

    /** More rows than are fetched before the cancel. */
    private static final String MANY = "SELECT i, repeat('x', 1000) FROM generate_series(1, 1000000) i";

    private static final StateFolder STATE = StateFolder.temporary("multimed-lifecycle-");
    private static Cluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = Cluster.start(SystemModel.parse(TestPropagation.chosen(MODEL), "test"), STATE, step -> {});
        cluster.awaitSatellites();
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE numbers (n int PRIMARY KEY, filler text)");
            statement.execute(
                    "INSERT INTO numbers SELECT i, repeat('x', 500) FROM generate_series(1, %d) i".formatted(ROWS));
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
        STATE.discard();
    }

    private static Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.middleware().jdbcUrl(), "tester", "");
    }

    /** In a transaction; where it is read-only, on a satellite. */
    private static Connection transaction(boolean readOnly) throws SQLException {
        Connection connection = connect();
        connection.setReadOnly(readOnly);
        connection.setAutoCommit(false);
        return connection;
    }

    private static int rest(ResultSet rows) throws SQLException {
        int read = 0;
        while (rows.next()) {
            read++;
        }
        return read;
    }

    @Test
    void shouldHoldCursorsOverCommitsAndRollbacks() throws SQLException {
        for (boolean readOnly : new boolean[] {false, true}) {
            try (Connection connection = transaction(readOnly)) {
                connection.setHoldability(ResultSet.HOLD_CURSORS_OVER_COMMIT);
                try (Statement statement = connection.createStatement()) {
                    assertThat(statement.getResultSetHoldability()).isEqualTo(ResultSet.HOLD_CURSORS_OVER_COMMIT);
                    statement.setFetchSize(10);
                    ResultSet rows = statement.executeQuery("SELECT n, filler FROM numbers ORDER BY n");
                    rows.next();
                    connection.commit();
                    rows.next();
                    assertThat(rows.getInt(1)).isEqualTo(2);
                    connection.rollback();
                    assertThat(rest(rows)).isEqualTo(ROWS - 2);
                }
                connection.commit();
            }
        }
    }

    @Test
    void shouldCloseCursorsAtTheEndOfTheTransactionAndKeepTheConnection() throws SQLException {
        for (boolean readOnly : new boolean[] {false, true}) {
            try (Connection connection = transaction(readOnly);
                    Statement statement = connection.createStatement();
                    Statement other = connection.createStatement()) {
                statement.setFetchSize(10);
                ResultSet rows = statement.executeQuery("SELECT n, filler FROM numbers ORDER BY n");
                rows.next();
                connection.commit();
                assertThatThrownBy(() -> rest(rows)).extracting("SQLState").isEqualTo("34000");
                ResultSet again = other.executeQuery("SELECT count(*) FROM numbers");
                again.next();
                assertThat(again.getInt(1)).isEqualTo(ROWS);
                connection.commit();
            }
        }
    }

    @Test
    void shouldCancelFromAnotherThreadWhileRowsStream() throws Exception {
        for (boolean autoCommit : new boolean[] {true, false}) {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                connection.setAutoCommit(autoCommit);
                statement.setFetchSize(50);
                AtomicInteger read = new AtomicInteger();
                CompletableFuture<SQLException> end = CompletableFuture.supplyAsync(() -> readAll(statement, read));
                await("the first rows are read").atMost(Duration.ofSeconds(90)).until(() -> read.get() > 100);
                statement.cancel();
                assertThat(end.get().getSQLState()).isEqualTo("57014");
                if (!autoCommit) {
                    connection.rollback();
                }
                ResultSet rows = statement.executeQuery("SELECT count(*) FROM numbers");
                rows.next();
                assertThat(rows.getInt(1)).isEqualTo(ROWS);
            }
        }
    }

    /** Returns the error, or null if all rows were read. */
    private static SQLException readAll(Statement statement, AtomicInteger read) {
        try (ResultSet rows = statement.executeQuery(MANY)) {
            while (rows.next()) {
                read.incrementAndGet();
            }
            return null;
        } catch (SQLException e) {
            return e;
        }
    }

    @Test
    void shouldAnswerWhetherAConnectionIsValidInTimeWhenTheMasterGivesNoAnswer() throws Exception {
        ProcessTree master = new ProcessTree(cluster.engine("master"));
        try (Connection idle = connect();
                Connection busy = connect();
                Statement statement = busy.createStatement()) {
            CompletableFuture<Integer> update;
            master.stop();
            try {
                update = CompletableFuture.supplyAsync(() -> update(statement));
                // What a connection leads to is the middleware: it answers for itself.
                assertThat(idle.isValid(60)).isTrue();
                // A connection that waits for the master cannot answer; one that does not wait yet is valid.
                await("the connection waits for the silent master")
                        .atMost(Duration.ofSeconds(90))
                        .until(() -> !busy.isValid(1));
                assertThat(update).isNotDone();
            } finally {
                master.resume();
            }
            assertThat(update.get()).isEqualTo(1);
            assertThat(busy.isValid(60)).isTrue();
        }
    }

    private static int update(Statement statement) {
        try {
            return statement.executeUpdate("UPDATE numbers SET filler = 'changed' WHERE n = 1");
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
