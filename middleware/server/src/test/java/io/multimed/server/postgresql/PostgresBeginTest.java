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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Transactions that begin with PostgreSQL's SQL and its options behave as in the engine. */
@Timeout(120)
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
}
