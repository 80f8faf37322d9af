// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import io.multimed.server.testing.Copies;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Runs statements that exist only in the family or have another meaning there: SET TRANSACTION, autocommit, PREPARE
 * from a variable, invalid views, loading.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class MySqlStatementsTest extends SmallPoolTest {
    private static Copies copies;

    MySqlStatementsTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(engine, 3, "CREATE TABLE entry (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20), n INT DEFAULT 0)");
        copies = Copies.of(cluster, "satellite").mark();
    }

    /** The session of the engine would then refuse the statements of all clients that use it. */
    @Test
    void shouldRefuseATableWhoseCreationBeginsATransaction() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String options :
                    List.of("(id INT PRIMARY KEY) START TRANSACTION", "START TRANSACTION AS SELECT 1 AS id")) {
                assertThatThrownBy(() -> run(connection, "CREATE TABLE begun " + options))
                        .hasFieldOrPropertyWithValue("SQLState", "0A000");
                for (int i = 0; i < 4; i++) {
                    cluster.run("INSERT INTO entry (v) VALUES ('after')");
                }
            }
        }
    }

    /** Outside of a transaction, the values may belong to another client's session. */
    @Test
    void shouldReturnTheLastValueOfASequenceWithinItsTransaction() throws SQLException {
        Assumptions.assumeTrue(cluster.engine("master").node().engine().equals("mariadb"), "MySQL has no sequences");
        try (Connection connection = cluster.connect()) {
            run(connection, "CREATE SEQUENCE counter");
            connection.setAutoCommit(false);
            String next = text(connection, "SELECT NEXTVAL(counter)");
            assertThat(text(connection, "SELECT LASTVAL(counter)")).isEqualTo(next);
            run(connection, "INSERT INTO entry (v) VALUES (PREVIOUS VALUE FOR counter)");
            assertThat(text(connection, "SELECT v FROM entry WHERE v = PREVIOUS VALUE FOR counter"))
                    .isEqualTo(next);
            connection.commit();
            for (String last : List.of("LASTVAL(counter)", "PREVIOUS VALUE FOR counter")) {
                connection.setAutoCommit(true);
                assertThatThrownBy(() -> text(connection, "SELECT " + last))
                        .hasMessageContaining("use both in one transaction")
                        .extracting("SQLState")
                        .isEqualTo("0A000");
                run(connection, "SET @mine = 5"); // pins the session
                String again = text(connection, "SELECT NEXT VALUE FOR counter");
                assertThat(text(connection, "SELECT " + last)).isEqualTo(again);
                run(connection, "SET @mine = NULL");
            }
            run(connection, "DROP SEQUENCE counter");
        }
    }

    @Test
    void shouldRunRoutinesWithAnyBodyThatDoesNotCommit() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "CREATE TABLE made (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))",
                    "CREATE PROCEDURE add_two(IN a VARCHAR(20), OUT total INT) BEGIN DECLARE i INT DEFAULT 0;"
                            + " WHILE i < 2 DO INSERT INTO made (v) VALUES (CONCAT(a, i)); SET i = i + 1; END WHILE;"
                            + " SELECT COUNT(*) INTO total FROM made; END",
                    "CREATE DEFINER = CURRENT_USER PROCEDURE look() READS SQL DATA BEGIN DECLARE n INT; SELECT COUNT(*) INTO n FROM made; SELECT n; END;",
                    "CALL add_two('x', @total)");
            assertThat(text(connection, "SELECT @total")).isEqualTo("2");
            try (Statement call = connection.createStatement()) {
                assertThat(call.execute("CALL look()")).isTrue();
                ResultSet row = call.getResultSet();
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(2);
            }
            connection.setAutoCommit(false);
            run(connection, "CALL add_two('undone', @total)");
            connection.rollback();
        }
        copies.assertSame();
        assertThat(copies.rows("satellite", "made")).hasSize(2);
        assertThatThrownBy(() ->
                        cluster.run("CREATE PROCEDURE ends() BEGIN INSERT INTO made (v) VALUES ('a'); COMMIT; END"))
                .hasMessageContaining("a procedure that commits");
    }

    @Test
    void shouldReportThatATransactionHasBegun() throws SQLException {
        cluster.run("INSERT INTO entry (id, v) VALUES (100, 'a')");
        try (Connection connection = cluster.connect()) {
            run(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "START TRANSACTION");
            assertThat(text(connection, "SELECT v FROM entry WHERE id = 100 FOR UPDATE"))
                    .isEqualTo("a");
            assertThat(text(connection, "SELECT n FROM entry WHERE id = 100")).isEqualTo("0");
            assertThatThrownBy(() -> run(connection, "SET TRANSACTION READ ONLY"))
                    .extracting("SQLState")
                    .isEqualTo("25001");
            run(connection, "ROLLBACK");
            assertThat(cluster.pinned()).isEmpty();
        }
    }

    @Test
    void shouldRefuseChangesInReadOnlyTransactionsOfSql() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertChangesAreRefusedInReadOnlyTransactions(connection, 7000);
            run(connection, "SET SESSION TRANSACTION READ ONLY");
            assertReadOnly(connection, "CREATE TABLE never_made (id INT PRIMARY KEY)");
            assertReadOnly(connection, "ALTER TABLE entry ADD COLUMN never_made INT");
            run(connection, "SET SESSION TRANSACTION READ WRITE");
            assertThat(cluster.pinned()).isEmpty();
            run(connection, "SET @kept = 1");
            assertChangesAreRefusedInReadOnlyTransactions(connection, 7010);
        }
        copies.assertSame();
    }

    private void assertChangesAreRefusedInReadOnlyTransactions(Connection connection, int id) throws SQLException {
        String insert = "INSERT INTO entry (id) VALUES (" + id + ")";
        run(connection, "SET TRANSACTION READ ONLY");
        assertReadOnly(connection, insert);
        assertReadOnly(connection, insert); // the first one has begun no transaction
        run(connection, "COMMIT", insert, "SET TRANSACTION READ ONLY");
        assertThat(text(connection, "SELECT n FROM entry WHERE id = " + id + " LOCK IN SHARE MODE"))
                .isEqualTo("0");
        run(connection, "DELETE FROM entry WHERE id = " + id);

        run(connection, "SET SESSION TRANSACTION READ ONLY");
        assertReadOnly(connection, insert);
        run(connection, "SET autocommit = 0");
        assertReadOnly(connection, "SELECT n FROM entry LOCK IN SHARE MODE", insert);
        run(connection, "ROLLBACK", "SET autocommit = 1");
        run(connection, "START TRANSACTION READ WRITE", insert, "COMMIT");
        run(connection, "SET SESSION TRANSACTION READ WRITE", "UPDATE entry SET n = 1 WHERE id = " + id);
    }

    private static void assertReadOnly(Connection connection, String... statements) {
        assertThatThrownBy(() -> run(connection, statements))
                .hasMessageContaining("READ ONLY transaction")
                .isInstanceOfSatisfying(SQLException.class, e -> {
                    assertThat(e.getSQLState()).isEqualTo("25006");
                    assertThat(e.getErrorCode()).isEqualTo(1792);
                });
    }

    /** A read that begins no transaction in the engine must not leave its mode for the next one. */
    @Test
    void shouldChangeRowsAfterAnyReadOfAPinnedSession() throws SQLException {
        int id = 10_000;
        for (String pinning : List.of("SET timestamp = 5", "SET @x = 1", "SELECT GET_LOCK('pinned', 0)")) {
            try (Connection connection = cluster.connect()) {
                run(connection, pinning);
                for (String read : List.of(
                        "SELECT COUNT(*) FROM information_schema.TABLES",
                        "SELECT 1",
                        "SELECT nonsense",
                        "SHOW TABLES")) {
                    for (String change : List.of(
                            "INSERT INTO entry (id) VALUES (%d)",
                            "BEGIN; INSERT INTO entry (id) VALUES (%d); COMMIT")) {
                        answer(connection, read);
                        run(connection, change.formatted(id++).split("; "));
                    }
                    answer(connection, read);
                    run(connection, "TRUNCATE TABLE entry");
                }
            }
        }
        copies.assertSame();
    }

    private static void answer(Connection connection, String query) {
        try {
            text(connection, query);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("42S22");
        }
    }

    @Test
    void shouldTakeASnapshotImmediately() throws SQLException {
        cluster.run("INSERT INTO entry (id, n) VALUES (300, 1)");
        try (Connection connection = cluster.connect()) {
            run(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
            cluster.run("UPDATE entry SET n = 2 WHERE id = 300");
            assertThat(text(connection, "SELECT n FROM entry WHERE id = 300")).isEqualTo("1");
            run(connection, "INSERT INTO entry (id, n) VALUES (301, 1)", "COMMIT");
            assertThat(text(connection, "SELECT n FROM entry WHERE id = 300")).isEqualTo("2");
            run(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
            assertThatThrownBy(() -> run(connection, "UPDATE entry SET n = 3 WHERE id = 300"))
                    .extracting("SQLState")
                    .isEqualTo("25006");
            run(connection, "ROLLBACK");
        }
        copies.assertSame();
    }

    @Test
    void shouldSwitchAutoCommitBySql() throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, "SELECT @@autocommit")).isEqualTo("1");
            run(connection, "SET autocommit = 0", "INSERT INTO entry (id) VALUES (400)", "ROLLBACK");
            run(connection, "INSERT INTO entry (id) VALUES (401)", "COMMIT");
            run(connection, "INSERT INTO entry (id) VALUES (402)");
            assertThat(text(connection, "SELECT @@autocommit")).isEqualTo("0");
            run(connection, "SET autocommit = 1");
            run(connection, "BEGIN", "INSERT INTO entry (id) VALUES (403)", "SET autocommit = 1", "ROLLBACK");
            assertThat(text(connection, "SELECT GROUP_CONCAT(id) FROM entry WHERE id BETWEEN 400 AND 403"))
                    .isEqualTo("401,402");
        }
        copies.assertSame();
    }

    @Test
    void shouldReplicateChangesThatUseVariablesAndTemporaryTables() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, "CREATE TEMPORARY TABLE few AS SELECT 7 AS a", "SET @b = 5");
            assertThat(text(connection, "SELECT a + @b FROM few")).isEqualTo("12");
            run(
                    connection,
                    "INSERT INTO entry (id, n) SELECT 500, a + @b FROM few",
                    "DROP TEMPORARY TABLE few",
                    "SET @b = NULL");
        }
        copies.assertSame();
    }

    @Test
    void shouldClassifyTextsThatSqlPrepares() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "SET @sql = 'INSERT INTO entry (id, v) VALUES (?, ?)', @id = 700, @v = 'it''s'",
                    "PREPARE made FROM @sql",
                    "EXECUTE made USING @id, @v",
                    "PREPARE `asked` FROM 'SELECT v FROM entry WHERE id = ?'");
            assertThat(text(connection, "EXECUTE `asked` USING @id")).isEqualTo("it's");
            connection.setAutoCommit(false);
            run(connection, "SET @id = 701", "EXECUTE made USING @id, @v");
            connection.rollback();
            connection.setAutoCommit(true);
            for (String text :
                    new String[] {"COMMIT", "DROP TABLE entry", "SET autocommit = 0", "LOCK TABLES entry READ"}) {
                assertThatThrownBy(() -> run(connection, "SET @sql = '" + text + "'", "PREPARE bad FROM @sql"))
                        .as(text)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            run(connection, "DEALLOCATE PREPARE made", "DROP PREPARE `asked`");
            assertThatThrownBy(() -> run(connection, "EXECUTE made USING @id, @v"))
                    .hasMessageContaining("made");
        }
        try (Connection other = cluster.connect()) {
            assertThatThrownBy(() -> run(other, "EXECUTE made")).hasMessageContaining("PREPARE comes first");
            assertThat(text(other, "SELECT COUNT(*) FROM entry WHERE id BETWEEN 700 AND 701"))
                    .isEqualTo("1");
        }
        copies.assertSame();
    }

    @Test
    void shouldReplicateAlteredAndInvalidViews() throws SQLException {
        cluster.run(
                "CREATE TABLE seen (id INT PRIMARY KEY, n INT)",
                "INSERT INTO seen VALUES (1, 3)",
                "CREATE VIEW some_seen (number, `what it says`) AS SELECT id, CONCAT(CAST(n AS SIGNED), '!') FROM seen",
                "CREATE VIEW above AS SELECT number FROM some_seen");
        assertRead("SELECT GROUP_CONCAT(`what it says` ORDER BY number) FROM some_seen", "3!");
        assertRead("SELECT number FROM above # a comment", "1");
        cluster.run("RENAME TABLE some_seen TO renamed", "ALTER VIEW renamed AS SELECT n FROM seen WHERE id = 1");
        assertRead("SELECT n FROM renamed", "3");
        assertThatThrownBy(() -> cluster.run("SELECT * FROM above")).hasMessageContaining("above");
        cluster.run("DROP VIEW renamed");
        copies.assertSame();
    }

    private static void assertRead(String query, String answer) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, query)).as(query).isEqualTo(answer);
            assertThat(node(connection)).as(query).isEqualTo("satellite");
        }
    }

    @Test
    void shouldLoadAFileThatTheEngineCanRead() throws Exception {
        String folder = readableFolder();
        Path file = Files.createTempFile(Path.of(folder), "multimed-load-", ".csv");
        try {
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
            Files.writeString(file, "600,one\n601,two\n602,three\n");
            cluster.run("LOAD DATA INFILE '%s' INTO TABLE entry FIELDS TERMINATED BY ',' (id, v) SET n = 9"
                    .formatted(file));
        } finally {
            Files.delete(file);
        }
        copies.assertSame();
        assertThatThrownBy(() -> cluster.run("LOAD DATA LOCAL INFILE 'x' INTO TABLE entry"))
                .hasMessageContaining("batches of INSERT")
                .extracting("SQLState")
                .isEqualTo("0A000");
    }

    private String readableFolder() throws SQLException {
        try (Connection master = cluster.direct("master")) {
            String allowed = text(master, "SELECT COALESCE(@@secure_file_priv, 'NULL')");
            Assumptions.assumeFalse("NULL".equals(allowed), "this engine reads no files: secure_file_priv is NULL");
            return String.valueOf(allowed).isEmpty() ? "/tmp" : allowed;
        }
    }
}
