// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transactions that begin with PostgreSQL's SQL and its options behave as in the engine. */
@Timeout(120)
@Tag("slow")
class PostgresBeginTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites(1);
        run("CREATE TABLE held (id int PRIMARY KEY)");
        cluster.awaitOnline().awaitApplied();
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            await("the names of the tables are known").until(() -> {
                Sql.run(connection, "SELECT count(*) FROM held");
                String node = Sql.node(connection);
                connection.rollback();
                return node.startsWith("satellite");
            });
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    /** Returns the node of the transaction and the modes that the engine reports. */
    private static String modes(Connection connection) throws SQLException {
        Sql.run(connection, "SELECT count(*) FROM held");
        return "%s: %s, %s"
                .formatted(
                        Sql.node(connection),
                        Sql.text(connection, "SHOW transaction_isolation"),
                        Sql.text(connection, "SHOW transaction_read_only"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "BEGIN | satellite-1: read committed, off",
                "START TRANSACTION ISOLATION LEVEL SERIALIZABLE | master: serializable, off",
                "begin work isolation level repeatable read, read write; | satellite-1: repeatable read, off",
                "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY | master: serializable, on",
                "BEGIN READ WRITE NOT DEFERRABLE ISOLATION LEVEL READ UNCOMMITTED | master: read uncommitted, off",
                "START TRANSACTION READ ONLY | satellite-1: repeatable read, on",
                "BEGIN TRANSACTION READ ONLY, ISOLATION LEVEL REPEATABLE READ, DEFERRABLE | satellite-1: repeatable read, on"
            })
    void shouldApplyTheOptionsOfBeginToItsTransactionOnly(String begin, String expected) throws SQLException {
        for (boolean pinned : List.of(false, true)) {
            try (Connection connection = cluster.connect();
                    Statement statement = connection.createStatement()) {
                if (pinned) {
                    statement.execute("SET lock_timeout = '50s'");
                }
                statement.execute(begin);
                assertThat(modes(connection)).isEqualTo(pinned ? expected.replace("satellite-1", "master") : expected);
                if (expected.endsWith("on")) {
                    assertThatThrownBy(() -> statement.executeUpdate("UPDATE held SET id = id"))
                            .extracting("SQLState")
                            .isEqualTo("25006");
                }
                statement.execute("ROLLBACK");
                statement.execute("BEGIN");
                assertThat(modes(connection))
                        .isEqualTo("%s: read committed, off".formatted(pinned ? "master" : "satellite-1"));
                statement.execute("COMMIT");
            }
        }
    }

    @Test
    void shouldRefuseUnsupportedOptionsOfBegin() throws SQLException {
        assertThatThrownBy(() -> run("BEGIN SERIALIZABLE"))
                .extracting("SQLState")
                .isEqualTo("42601");
        assertThatThrownBy(() -> run("BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE"))
                .extracting("SQLState")
                .isEqualTo("0A000");
        assertThatThrownBy(() -> run("BEGIN", "COMMIT AND CHAIN"))
                .hasMessageContaining("BEGIN the next one")
                .extracting("SQLState")
                .isEqualTo("0A000");
        assertThatThrownBy(() -> run("BEGIN", "SELECT id FROM held", "BEGIN ISOLATION LEVEL SERIALIZABLE"))
                .hasMessageContaining("must be called before any query")
                .extracting("SQLState")
                .isEqualTo("25001");
        run("BEGIN", "COMMIT AND NO CHAIN", "START TRANSACTION", "ABORT WORK");
    }

    private static String state(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return "";
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    /** Tests that, as with pgjdbc, setReadOnly concerns the transactions that the driver begins. */
    @Test
    void shouldNotApplySetReadOnlyToABeginInAutoCommit() throws SQLException {
        for (String before : List.of("", "SELECT count(*) FROM held", "SELECT random() < 2")) {
            try (Connection connection = cluster.connect()) {
                connection.setReadOnly(true);
                Sql.run(connection, "BEGIN", before, "UPDATE held SET id = id");
                connection.setAutoCommit(false);
                Sql.run(connection, "UPDATE held SET id = id");
                connection.commit();
                assertThat(state(connection, "UPDATE held SET id = id"))
                        .as("in a transaction that the driver has begun, after " + before)
                        .isEqualTo("25006");
                connection.rollback();
                Sql.run(connection, "BEGIN READ ONLY", "BEGIN");
                assertThat(state(connection, "UPDATE held SET id = id")).isEqualTo("25006");
            }
        }
    }

    @Test
    void shouldKeepModesThatASecondBeginDoesNotSet() throws SQLException {
        try (Connection connection = cluster.connect()) {
            Sql.run(connection, "BEGIN READ ONLY", "BEGIN ISOLATION LEVEL SERIALIZABLE");
            assertThat(modes(connection)).isEqualTo("master: serializable, on");
            Sql.run(connection, "ROLLBACK", "BEGIN READ ONLY", "BEGIN READ WRITE", "UPDATE held SET id = id", "COMMIT");
        }
    }

    /** Tests that a transaction which is read-only can do what the engine does not count as a change. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "BEGIN READ ONLY | ANALYZE held",
                "BEGIN READ ONLY;SELECT count(*) FROM held | ANALYZE held",
                "BEGIN;SET TRANSACTION READ ONLY | ANALYZE",
                "CREATE TEMP TABLE own (i int);BEGIN READ ONLY | INSERT INTO own VALUES (1)"
            })
    void shouldCommitWhatIsPermittedInAReadOnlyTransaction(String before, String permitted) throws SQLException {
        try (Connection connection = cluster.connect()) {
            Sql.run(connection, before.split(";", -1));
            Sql.run(connection, permitted, "COMMIT");
        }
    }

    @Test
    void shouldSetAllModesAfterStatementsThatAreNoQueries() throws SQLException {
        try (Connection connection = cluster.connect()) {
            Sql.run(
                    connection,
                    "BEGIN",
                    "SHOW transaction_read_only",
                    "SET LOCAL lock_timeout = '1s'",
                    "SET TRANSACTION READ ONLY",
                    "BEGIN READ WRITE",
                    "SET TRANSACTION READ ONLY, ISOLATION LEVEL SERIALIZABLE");
            assertThat(modes(connection)).isEqualTo("master: serializable, on");
        }
    }

    /** Tests that reads which ran before a node began the transaction are queries of it, whatever ran since. */
    @Test
    void shouldRefuseIsolationLevelsAfterReadsBeforeTheBegin() throws SQLException {
        for (String between : List.of("", "SHOW lock_timeout", "SAVEPOINT a", "BEGIN")) {
            for (boolean begun : List.of(true, false)) {
                for (String level :
                        List.of("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN ISOLATION LEVEL SERIALIZABLE")) {
                    try (Connection connection = cluster.connect()) {
                        connection.setAutoCommit(begun);
                        Sql.run(connection, begun ? "BEGIN" : "", "SELECT count(*) FROM held", between);
                        assertThat(state(connection, level))
                                .as("%s, %s, %s", begun, between, level)
                                .isEqualTo("25001");
                    }
                }
            }
        }
        run("BEGIN", "SELECT count(*) FROM held", "BEGIN ISOLATION LEVEL READ COMMITTED", "COMMIT");
    }

    @Test
    void shouldRefuseToForbidChangesAfterChanges() throws SQLException {
        for (String forbids : List.of(
                "SET TRANSACTION READ ONLY",
                "SELECT 1; SET TRANSACTION READ ONLY",
                "SET LOCAL transaction_read_only = on",
                "BEGIN READ ONLY")) {
            try (Connection connection = cluster.connect()) {
                Sql.run(connection, "BEGIN", "SAVEPOINT a", "SHOW transaction_read_only");
                assertThat(state(connection, forbids)).as(forbids).isEmpty();
                Sql.run(connection, "ROLLBACK", "BEGIN", "INSERT INTO held VALUES (77)");
                assertThat(state(connection, forbids))
                        .as(forbids + " after a change")
                        .isEqualTo("0A000");
                assertThat(state(connection, "SELECT 1")).isEqualTo("25P02");
                Sql.run(connection, "COMMIT");
                assertThat(Sql.text(connection, "SELECT count(*) FROM held WHERE id = 77"))
                        .isEqualTo("0");
            }
        }
        assertThatThrownBy(() -> run("INSERT INTO held VALUES (77); SET TRANSACTION READ ONLY"))
                .extracting("SQLState")
                .isEqualTo("0A000");
    }
}
