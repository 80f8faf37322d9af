// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks the operations during the streaming of rows: other statements on the same connection, closing, canceling,
 * ending the transaction. The results are endless, so a driver or middleware that reads all rows would not return.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
class OpenResultTest {
    private static final int ROWS = 1 << 13;
    private static final String ALL =
            "SELECT id, CASE WHEN id = %d THEN repeat('y', 2000000) ELSE t END FROM many".formatted(ROWS);
    /**
     * Returns a trillion rows, which no engine buffers; without the hint, MySQL would buffer most rows for the join.
     */
    private static final String WITHOUT_END = "SELECT /*+ NO_BNL() */ t1.i, repeat('x', 1000) FROM "
            + IntStream.rangeClosed(1, 12).mapToObj(i -> "ten t" + i).collect(Collectors.joining(" CROSS JOIN "));

    private static TestCluster cluster;

    private final boolean postgres;

    OpenResultTest(String engine) {
        postgres = engine.equals("postgresql");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        cluster.run(
                "CREATE TABLE many (id int PRIMARY KEY, t varchar(1000))",
                "INSERT INTO many VALUES (1, repeat('x', 1000))",
                "CREATE TABLE ten (i int PRIMARY KEY)",
                "INSERT INTO ten VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10)",
                "CREATE TABLE counted (id int PRIMARY KEY, n int)",
                "INSERT INTO counted VALUES (1, 0)");
        for (int rows = 1; rows < ROWS; rows *= 2) {
            cluster.run("INSERT INTO many SELECT id + %d, t FROM many".formatted(rows));
        }
        cluster.awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static Connection connect(boolean onMaster, boolean autoCommit) throws SQLException {
        Connection connection = cluster.connect();
        connection.setReadOnly(!onMaster);
        connection.setAutoCommit(autoCommit);
        return connection;
    }

    private static ResultSet open(Connection connection, String query) throws SQLException {
        Statement statement = connection.createStatement();
        statement.setFetchSize(50);
        boolean onSatellite = connection.isReadOnly() || connection.getAutoCommit();
        ResultSet rows = statement.executeQuery(onSatellite ? query : "/*+ multimed: master */ " + query);
        assertThat(rows.next()).isTrue();
        String node = connection.unwrap(MultimedConnection.class).lastNode();
        assertThat(node).startsWith(onSatellite ? "satellite" : "master");
        return rows;
    }

    /** The rest of {@link #ALL}: of each row, one. */
    private static void assertRest(ResultSet rows) throws SQLException {
        long sum = rows.getLong(1);
        int count = 1;
        while (rows.next()) {
            sum += rows.getLong(1);
            count++;
            assertThat(rows.getString(2)).hasSize(rows.getInt(1) == ROWS ? 2_000_000 : 1_000);
        }
        assertThat(count).isEqualTo(ROWS);
        assertThat(sum).isEqualTo(ROWS * (ROWS + 1L) / 2);
    }

    @Test
    void shouldRunOtherStatementsOfTheSameTransaction() throws SQLException {
        try (Connection connection = connect(true, false)) {
            run(connection, "UPDATE counted SET n = 1");
            ResultSet first = open(connection, ALL);
            run(connection, "UPDATE counted SET n = n + 1");
            ResultSet second = open(connection, ALL);
            Savepoint savepoint = connection.setSavepoint();
            assertThat(text(connection, "SELECT n FROM counted")).isEqualTo("2");
            connection.rollback(savepoint);
            assertRest(second);
            assertRest(first);
            connection.commit();
        }
        assertThat(counted()).isEqualTo("2");
    }

    @Test
    void shouldRunOtherQueriesInTheSameSnapshot() throws SQLException {
        try (Connection connection = connect(false, false)) {
            ResultSet first = open(connection, ALL);
            ResultSet second = open(connection, ALL);
            assertThat(text(connection, "SELECT count(*) FROM many")).isEqualTo(String.valueOf(ROWS));
            second.close();
            assertRest(first);
            connection.commit();
        }
    }

    @Test
    void shouldRunOtherStatementsOutsideOfTransactions() throws SQLException {
        try (Connection connection = connect(true, true)) {
            ResultSet rows = open(connection, ALL);
            run(connection, "UPDATE counted SET n = 7");
            assertThat(counted()).isEqualTo("7");
            assertRest(rows);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldCloseWithoutReadingTheRest(boolean autoCommit) throws SQLException {
        for (boolean onMaster : new boolean[] {true, false}) {
            try (Connection connection = connect(onMaster, autoCommit)) {
                for (int i = 0; i < 3; i++) {
                    ResultSet rows = open(connection, WITHOUT_END);
                    rows.close();
                    assertThat(text(connection, "SELECT count(*) FROM many")).isEqualTo(String.valueOf(ROWS));
                }
                if (!autoCommit) {
                    connection.commit();
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndTheTransaction(boolean commits) throws SQLException {
        cluster.run("UPDATE counted SET n = 10");
        try (Connection connection = connect(true, false)) {
            run(connection, "UPDATE counted SET n = 11");
            ResultSet rows = open(connection, WITHOUT_END);
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            assertThatThrownBy(() -> readOn(rows)).isInstanceOf(SQLException.class);
            assertThat(text(connection, "SELECT n FROM counted")).isEqualTo(commits ? "11" : "10");
            connection.rollback();
        }
    }

    @Test
    void shouldStopTheQueriesOfADisconnectedClient() throws SQLException {
        for (boolean autoCommit : new boolean[] {true, false}) {
            for (boolean onMaster : new boolean[] {true, false}) {
                try (Connection connection = connect(onMaster, autoCommit)) {
                    open(connection, WITHOUT_END);
                }
            }
        }
        await("no engine runs a query of the test; see the session lists of the engines")
                .atMost(Duration.ofSeconds(90))
                .until(() -> running("master") + running("satellite-1") == 0);
    }

    /**
     * The middleware lost this connection, not the client: an error 08006 would make a pool close the connection of the
     * client.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportTheLossOfTheSatelliteAsASerializationFailure(boolean autoCommit) throws SQLException {
        try (Connection connection = connect(false, autoCommit)) {
            ResultSet rows = open(connection, WITHOUT_END);
            await("a connection that reads on satellite-1 was ended; see its session list")
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> breakConnections("satellite-1"), broken -> broken > 0);
            assertThatThrownBy(() -> readOn(rows))
                    .hasMessageContaining("satellite-1 was lost")
                    .extracting(failure -> ((SQLException) failure).getSQLState())
                    .isEqualTo("40001");
            if (!autoCommit) {
                connection.rollback();
            }
            assertThat(text(connection, "SELECT count(*) FROM many")).isEqualTo(String.valueOf(ROWS));
        }
    }

    /** Ends the engine's sessions that read a result, and returns their number. */
    private int breakConnections(String node) throws SQLException {
        String ids = postgres
                ? "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'"
                : "SELECT id FROM information_schema.processlist WHERE info LIKE '%CROSS JOIN%' AND id <> CONNECTION_ID()";
        int broken = 0;
        try (Connection direct = cluster.direct(node);
                Statement queries = direct.createStatement();
                ResultSet found = queries.executeQuery(ids)) {
            while (found.next()) {
                run(direct, (postgres ? "SELECT pg_terminate_backend(%d)" : "KILL %d").formatted(found.getInt(1)));
                broken++;
            }
        }
        return broken;
    }

    /** Returns the number of queries of the test that run on the engine. */
    private long running(String node) throws SQLException {
        try (Connection direct = cluster.direct(node)) {
            String count = postgres
                    ? "SELECT count(*) FROM pg_stat_activity WHERE state <> 'idle' AND query LIKE '%CROSS JOIN%' AND pid <> pg_backend_pid()"
                    : "SELECT count(*) FROM information_schema.processlist WHERE info LIKE '%CROSS JOIN%' AND id <> CONNECTION_ID()";
            return Long.parseLong(text(direct, count));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldStopWhenCanceled(boolean autoCommit) throws Exception {
        for (boolean onMaster : new boolean[] {true, false}) {
            try (Connection connection = connect(onMaster, autoCommit)) {
                ResultSet rows = open(connection, WITHOUT_END);
                Statement statement = rows.getStatement();
                CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> readOnUnchecked(rows));
                statement.cancel();
                assertThatThrownBy(reading::join).hasRootCauseInstanceOf(SQLException.class);
                assertThatThrownBy(() -> readOn(rows)).isInstanceOf(SQLException.class);
                if (!autoCommit) {
                    connection.rollback();
                }
                assertThat(text(connection, "SELECT count(*) FROM many")).isEqualTo(String.valueOf(ROWS));
            }
        }
    }

    /** The driver of the family streams with this setting only. */
    @Test
    void shouldAcceptTheFetchSizeOfTheFamilysDriver() throws SQLException {
        try (Connection connection = connect(false, true);
                Statement statement = connection.createStatement()) {
            if (postgres) {
                assertThatThrownBy(() -> statement.setFetchSize(Integer.MIN_VALUE))
                        .isInstanceOf(SQLException.class);
                return;
            }
            statement.setFetchSize(Integer.MIN_VALUE);
            assertThat(statement.getFetchSize()).isEqualTo(Integer.MIN_VALUE);
            try (ResultSet rows = statement.executeQuery(WITHOUT_END)) {
                assertThat(rows.next()).isTrue();
            }
        }
    }

    private static String counted() throws SQLException {
        try (Connection connection = cluster.connect()) {
            return text(connection, "SELECT n FROM counted");
        }
    }

    private static void readOn(ResultSet rows) throws SQLException {
        while (rows.next()) {
            assertThat(rows.getInt(1)).isPositive();
        }
    }

    private static void readOnUnchecked(ResultSet rows) {
        try {
            readOn(rows);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
