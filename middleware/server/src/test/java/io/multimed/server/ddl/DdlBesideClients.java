// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.BackgroundWriters;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests of {@link DdlTest} for clients that run statements during DDL, and for DDL in transactions. */
interface DdlBesideClients {
    DdlSystem system();

    @Test
    default void shouldUndoDdlWithItsTransactionOrCommitBeforeIt() throws SQLException {
        boolean undone = system().can("a rollback undoes DDL");
        system().run("CREATE TABLE steady (id INT PRIMARY KEY)");
        Connection connection = system().connection();
        connection.setAutoCommit(false);
        system().run(
                        "INSERT INTO steady VALUES (1)",
                        "ALTER TABLE steady ADD COLUMN v VARCHAR(10)",
                        "INSERT INTO steady VALUES (2, 'two')",
                        "CREATE TABLE passing (id INT)",
                        "INSERT INTO passing VALUES (1)",
                        "INSERT INTO steady (id) VALUES (9)");
        connection.rollback();
        system().run("INSERT INTO steady (id) VALUES (3)");
        Savepoint savepoint = connection.setSavepoint();
        system().run("ALTER TABLE steady RENAME TO unsteady", "CREATE TABLE passing_too (id INT)");
        if (undone) {
            connection.rollback(savepoint);
        } else {
            assertThatThrownBy(() -> connection.rollback(savepoint)).isInstanceOf(SQLException.class);
            system().run("ALTER TABLE unsteady RENAME TO steady");
        }
        system().run(
                        "ALTER TABLE steady ADD COLUMN w INT DEFAULT 5",
                        "UPDATE steady SET w = 6 WHERE id < 3",
                        "INSERT INTO steady (id, w) VALUES (4, 4)");
        connection.commit();
        connection.setAutoCommit(true);
        assertThat(system().read("SELECT id FROM steady ORDER BY id"))
                .isEqualTo(undone ? List.of("3", "4") : List.of("1", "2", "3", "4"));
        assertThat(system().read("SELECT w FROM steady ORDER BY id"))
                .isEqualTo(undone ? List.of("5", "4") : List.of("6", "6", "5", "4"));
    }

    @Test
    default void shouldReplicateSeveralStatementsInOneTextOrRefuseThem() throws SQLException {
        String several = """
                CREATE TABLE first (id INT PRIMARY KEY); INSERT INTO first VALUES (1);
                CREATE TABLE second (id INT PRIMARY KEY, t VARCHAR(10) DEFAULT 'a;b'); INSERT INTO second (id) VALUES (2);
                ALTER TABLE first ADD COLUMN s VARCHAR(10) DEFAULT ';'; -- done; really
                """;
        if (system().can("DDL among several statements in one text")) {
            system().run(several);
            assertThat(system().read("SELECT s FROM first")).containsExactly(";");
            assertThat(system().read("SELECT t FROM second")).containsExactly("a;b");
        } else {
            system().assertRefused(several, "among several statements in one text");
        }
    }

    @Test
    default void shouldReplicateDdlFromAnotherCurrentSchema() throws SQLException {
        String table = system().word("schema") + ".seen_from_afar";
        system().run("CREATE TABLE seen_from_afar (id INT PRIMARY KEY)", "INSERT INTO seen_from_afar VALUES (1)");
        system().runPassage("leave home");
        system().run(
                        "ALTER TABLE %s ADD COLUMN v INT DEFAULT 3".formatted(table),
                        "INSERT INTO %s VALUES (2, 2)".formatted(table));
        try (Connection other = system().cluster().connect()) {
            assertThat(Sql.text(other, "SELECT sum(v) FROM seen_from_afar")).isEqualTo("5");
        }
    }

    @Test
    default void shouldChangeNothingWhenDdlFails() throws SQLException {
        system().run(
                        "CREATE TABLE aside (id INT PRIMARY KEY)",
                        "CREATE TABLE unhurt (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO unhurt VALUES (1, 1), (2, 1)");
        for (String wrong : List.of(
                "ALTER TABLE unhurt ADD UNIQUE (v)",
                "ALTER TABLE unhurt ADD COLUMN w INT, ADD COLUMN w INT",
                "ALTER TABLE unhurt ADD FOREIGN KEY (v) REFERENCES no_such_table (id)",
                "CREATE TABLE half_of_it AS SELECT 1 / (id - 2) AS q FROM unhurt",
                "CREATE TABLE unhurt (id INT)",
                "DROP TABLE unhurt, no_such_table")) {
            assertThatThrownBy(() -> system().run(wrong)).as(wrong).isInstanceOf(SQLException.class);
        }
        system().run("INSERT INTO aside VALUES (1)");
        assertThat(system().read("SELECT id FROM aside")).containsExactly("1");
    }

    @Test
    default void shouldRunPreparedStatementsAfterDdl() throws SQLException {
        system().run("CREATE TABLE shape (id INT PRIMARY KEY, v INT)", "INSERT INTO shape VALUES (1, 2)");
        String update = "UPDATE shape SET v = 2 WHERE id = ? " + system().word("returning");
        try (Connection other = system().cluster().connect();
                PreparedStatement read = other.prepareStatement("SELECT * FROM shape WHERE id = ?");
                PreparedStatement write = other.prepareStatement(update)) {
            for (String change : List.of(
                    "INSERT INTO shape VALUES (2, 2)",
                    "ALTER TABLE shape ADD COLUMN w VARCHAR(10) DEFAULT 'w'",
                    system().word("change a type", "shape", "v", "VARCHAR(10)"),
                    "ALTER TABLE shape DROP COLUMN w")) {
                system().run(change);
                for (boolean autoCommit : new boolean[] {true, false}) {
                    other.setAutoCommit(autoCommit);
                    for (int i = 0; i < 6; i++) {
                        other.setReadOnly(true);
                        assertThat(shape(read)).as(change).isEqualTo("1 2");
                        assertThat(shape(read)).as(change).isEqualTo("1 2");
                        end(other);
                        other.setReadOnly(false);
                        assertThat(changesOne(write)).as(change).isTrue();
                        end(other);
                    }
                }
            }
        }
    }

    private static String shape(PreparedStatement read) throws SQLException {
        read.setInt(1, 1);
        try (ResultSet row = read.executeQuery()) {
            return row.next() ? row.getString(1) + " " + row.getString(2) : "none";
        }
    }

    private static boolean changesOne(PreparedStatement write) throws SQLException {
        write.setInt(1, 1);
        if (write.execute()) {
            try (ResultSet row = write.getResultSet()) {
                return row.next();
            }
        }
        return write.getUpdateCount() == 1;
    }

    private static void end(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    @Test
    default void shouldReadAnAlteredTableInATransactionThatBeganBefore() throws SQLException {
        system().run(
                        "CREATE TABLE early (id INT PRIMARY KEY)",
                        "CREATE TABLE shape (id INT PRIMARY KEY, v INT)",
                        "INSERT INTO shape VALUES (1, 2)");
        String error = system().word("error of a transaction that reads a table as it was not when it began");
        try (Connection other = system().cluster().connect();
                PreparedStatement read = other.prepareStatement("SELECT * FROM shape WHERE id = ?")) {
            other.setReadOnly(true);
            other.setAutoCommit(false);
            for (String change : List.of("ADD COLUMN w VARCHAR(10)", "RENAME COLUMN v TO vv", "DROP COLUMN w")) {
                for (int i = 0; i < 6; i++) {
                    assertThat(shape(read)).isEqualTo("1 2");
                    other.commit();
                }
                assertThat(Sql.text(other, "SELECT id FROM early")).isNull();
                system().run("ALTER TABLE shape " + change);
                system().cluster().awaitApplied();
                if (error.isEmpty()) {
                    assertThat(shape(read)).as(change).isEqualTo("1 2");
                } else {
                    assertThatThrownBy(() -> shape(read)).as(change).hasMessageContaining(error);
                    other.rollback();
                    assertThat(shape(read)).as(change).isEqualTo("1 2");
                }
                other.commit();
            }
        }
    }

    @Tag("exhaustive")
    @Test
    default void shouldChangeIndexesBesideWritersWithoutCopyingRows() throws Exception {
        system().run(
                        "CREATE TABLE indexed (id INT PRIMARY KEY, a INT DEFAULT 1 NOT NULL, b VARCHAR(50), c TEXT, d INT GENERATED ALWAYS AS (a * 2) STORED)",
                        "CREATE INDEX first_one ON indexed (a)",
                        "CREATE TABLE indexed_keyless (a INT, b VARCHAR(20))");
        system().runPassage("parts");
        system().run(
                        "INSERT INTO indexed (id, a, b) VALUES (1, 1, 'x'), (2, 2, 'x')",
                        "INSERT INTO indexed_keyless VALUES (1, 'x'), (1, 'x')",
                        "INSERT INTO parts VALUES (1, 1), (2, 2)");
        String[] tables = {"indexed", "indexed_keyless", "parts"};
        system().markTables(tables);
        BackgroundWriters writers = new BackgroundWriters(system().cluster(), 1, DdlBesideClients::writeToIndexed);
        try (writers) {
            writers.awaitMore();
            system().runPassage("changes of indexes");
            for (String wrong : List.of(
                    "CREATE INDEX by_a ON parts (id)", "CREATE UNIQUE INDEX not_unique ON indexed_keyless (b)")) {
                assertThatThrownBy(() -> system().run(wrong)).as(wrong).isInstanceOf(SQLException.class);
            }
            writers.awaitMore();
        }
        assertThat(writers.failures()).isEmpty();
        system().run(system().word("delete one row", "indexed_keyless"), "UPDATE indexed SET a = a + 10 WHERE id < 3");
        system().assertSame();
        assertThat(system().markedTables()).containsExactly(tables);
        system().runPassage("drop the unique index");
        system().run("INSERT INTO indexed (id, a, b) VALUES (-1, 1, 'same')");
        system().assertSame();
        system().restartMiddleware();
        system().runPassage("drop the index of parts");
        system().run("INSERT INTO parts VALUES (3, 3)");
        system().assertSame();
        system().runPassage("a column and an index");
        system().assertSame();
        assertThat(system().markedTables())
                .containsExactly(
                        system().can("satellites alter their own copies") ? tables : new String[] {"indexed_keyless"});
    }

    private static void writeToIndexed(Connection connection, int n) throws SQLException {
        Sql.run(
                connection,
                "INSERT INTO indexed (id, a, b) VALUES (%d, 3, 'w')".formatted(n + 10),
                "INSERT INTO indexed_keyless VALUES (%d, 'w')".formatted(n),
                "INSERT INTO parts VALUES (%d, 3)".formatted(n + 10));
    }

    @Tag("exhaustive")
    @Test
    default void shouldReplicateTablesThatAreAlteredUnderLoad() throws Exception {
        system().run("CREATE TABLE busy (id %s PRIMARY KEY, v INT)".formatted(system().word("key that counts")));
        try (BackgroundWriters writers = new BackgroundWriters(
                system().cluster(),
                4,
                (connection, n) -> Sql.run(
                        connection,
                        "INSERT INTO busy (v) VALUES (1), (2)",
                        "UPDATE busy SET v = v + 1 WHERE id % 10 = 0"))) {
            for (int i = 0; i < 4; i++) {
                writers.awaitMore();
                system().run("ALTER TABLE busy ADD COLUMN c%d INT DEFAULT %d".formatted(i, i));
                system().run("TRUNCATE TABLE busy");
            }
            writers.awaitMore();
        }
    }
}
