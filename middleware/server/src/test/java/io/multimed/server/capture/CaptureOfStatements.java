// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Checks the capture of changes that statements, triggers and routines make. */
interface CaptureOfStatements {
    CaptureSystem system();

    @Tag("exhaustive")
    @Test
    default void shouldReplicateTransactionsOfManyRows() throws SQLException {
        system().run("CREATE TABLE batch (id INT PRIMARY KEY, name VARCHAR(50), price DECIMAL(10, 2), at TIMESTAMP)");
        system().insert(
                        "INSERT INTO batch VALUES (?, ?, ?, now())",
                        IntStream.range(0, 10_000)
                                .mapToObj(i -> new Object[] {i, "row number " + i, BigDecimal.valueOf(i, 2)})
                                .toList());
        system().inTransaction(
                        "UPDATE batch SET name = concat(name, '!') WHERE id % 4 = 0",
                        "DELETE FROM batch WHERE id % 3 = 0");
        system().assertSame();
        system().run("TRUNCATE TABLE batch");
    }

    @Test
    default void shouldRunUsersTriggersOnTheMasterOnly() throws SQLException {
        system().play("users' triggers");
        system().run(
                        "INSERT INTO account (id, n) VALUES (21, 21), (22, 22), (23, 23), (24, 24), (25, 25)",
                        "UPDATE account SET n = n * 2",
                        "DELETE FROM account WHERE id = 25");
        system().assertSame();
        assertThat(system().onSatellite("SELECT count(*) FROM audit WHERE what LIKE 'before%'"))
                .isEqualTo("10");
        assertThat(system().onSatellite("SELECT amount FROM total"))
                .isEqualTo(system().onSatellite("SELECT sum(n) FROM account"));
    }

    @Test
    default void shouldReplicateChangesOfRoutines() throws SQLException {
        system().play("routines that write");
        system().run("INSERT INTO shelf VALUES (1, 1), (2, 2)", "CALL restock(5)", "SELECT take(2)");
        try (Connection connection = system().cluster().connect()) {
            connection.setAutoCommit(false);
            Sql.run(connection, "CALL restock(6)", "SELECT take(1)");
            connection.rollback();
        }
        system().assertSame();
        assertThat(system().onSatellite("SELECT sum(n) FROM shelf")).isEqualTo("12");
    }

    @Test
    default void shouldReplicateChangesThroughViews() throws SQLException {
        system().run(
                        "CREATE TABLE beneath (id INT PRIMARY KEY, v VARCHAR(20), w INT DEFAULT 5)",
                        "CREATE VIEW above AS SELECT id, v FROM beneath WHERE id < 100",
                        "INSERT INTO above VALUES (1, 'a'), (2, 'b'), (200, 'c')",
                        "UPDATE above SET v = 'changed', id = id + 10",
                        "DELETE FROM above WHERE id = 12");
        system().assertSame();
        assertThat(system().onSatellite("SELECT sum(id) FROM beneath")).isEqualTo("211");
    }

    @Test
    default void shouldReplicateTransactionsThatRollBackToSavepoints() throws SQLException {
        String twice = "INSERT INTO noted VALUES (1500, 'first'), (1, 'twice')";
        system().run("CREATE TABLE noted (id INT PRIMARY KEY, v VARCHAR(1000))");
        system().inTransaction(connection -> {
            Sql.run(connection, "INSERT INTO noted SELECT i, repeat('kept', 100) FROM series WHERE i <= 500");
            Savepoint savepoint = connection.setSavepoint();
            Sql.run(
                    connection,
                    "INSERT INTO noted SELECT i, repeat('undone', 100) FROM series WHERE i > 500",
                    "UPDATE noted SET v = 'undone'");
            connection.rollback(savepoint);
            Sql.run(connection, "SAVEPOINT again");
            assertThatThrownBy(() -> Sql.run(connection, twice)).isInstanceOf(SQLException.class);
            Sql.run(
                    connection,
                    "ROLLBACK TO SAVEPOINT again",
                    "UPDATE noted SET v = concat(v, ' after') WHERE id < 100",
                    "SAVEPOINT third",
                    "DELETE FROM noted WHERE id = 7",
                    "RELEASE SAVEPOINT third");
        });
        assertThatThrownBy(() -> system().run(twice)).isInstanceOf(SQLException.class);
        system().play("errors that a block handles");
        system().assertSame();
    }

    @Test
    default void shouldReplicateRepeatedUpdatesAndUpdatesWithoutEffect() throws SQLException {
        system().run("CREATE TABLE often (id INT PRIMARY KEY, v INT)", "CREATE TABLE often_keyless (v INT)");
        system().inTransaction(connection -> {
            Sql.run(
                    connection,
                    "INSERT INTO often VALUES (1, 0), (2, 0), (3, 0)",
                    "UPDATE often SET v = v + 1",
                    "UPDATE often SET v = v + 1",
                    "DELETE FROM often WHERE id = 1",
                    "INSERT INTO often VALUES (1, 99)",
                    "DELETE FROM often WHERE id = 2",
                    "INSERT INTO often_keyless SELECT 1 FROM series WHERE i <= 5",
                    "UPDATE often_keyless SET v = 2");
            system().section("one of several equal rows").run(connection);
        });
        system().inTransaction(
                        "DELETE FROM often",
                        "INSERT INTO often VALUES (1, 99), (3, 5)",
                        "UPDATE often SET id = 4 WHERE id = 3");
        system().inTransaction("DELETE FROM often WHERE id = 1", "INSERT INTO often VALUES (1, 99)");
        system().run("UPDATE often SET v = v", "UPDATE often SET v = v WHERE 1 = 0", "DELETE FROM often WHERE 1 = 0");
        system().play("one row changed in a loop");
        system().assertSame();
    }
}
