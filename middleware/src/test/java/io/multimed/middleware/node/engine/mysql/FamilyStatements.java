package io.multimed.middleware.node.engine.mysql;

import static io.multimed.middleware.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.middleware.Copies;
import io.multimed.middleware.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** The family's own statements: routines, how transactions are begun by SQL, session state, loading, what clients send when they connect. */
abstract class FamilyStatements extends FamilySystem {
    private Copies copies;

    FamilyStatements(String engine) {
        super(engine, 3);
    }

    @Override
    void fill() throws SQLException {
        cluster.run(
                "CREATE TABLE entry (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20), n INT DEFAULT 0)",
                "CREATE TABLE journal (entry INT, what VARCHAR(30))");
        copies = Copies.of(cluster, "satellite").mark();
    }

    /** Multimed's own connections have another mode: strings and divisions by zero would be read by it. */
    @Test
    void shouldRunWhatClientsSendInTheServersOwnMode() throws SQLException {
        try (Connection connection = cluster.connect();
                Connection direct = cluster.direct("master")) {
            String mode = text(direct, "SELECT @@sql_mode");
            connection.setAutoCommit(false);
            assertThat(text(connection, "SELECT @@sql_mode")).isEqualTo(mode);
            connection.rollback();
            assertThat(text(connection, "SELECT 'it\\'s'")).isEqualTo("it's");
        }
    }

    @Test
    void shouldDefineAndRunRoutinesAndTriggersOfSeveralStatements() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "CREATE TABLE made (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))",
                    "CREATE TRIGGER made_noted AFTER INSERT ON made FOR EACH ROW BEGIN INSERT INTO journal VALUES (NEW.id, 'made');"
                            + " INSERT INTO journal VALUES (NEW.id, CONCAT('; ', NEW.v)); END",
                    "CREATE PROCEDURE add_two(IN a VARCHAR(20), OUT total INT) BEGIN DECLARE i INT DEFAULT 0;"
                            + " WHILE i < 2 DO INSERT INTO made (v) VALUES (CONCAT(a, i)); SET i = i + 1; END WHILE;"
                            + " SELECT COUNT(*) INTO total FROM made; END",
                    "CREATE DEFINER = CURRENT_USER PROCEDURE look() READS SQL DATA BEGIN DECLARE n INT; SELECT COUNT(*) INTO n FROM made; SELECT n; END;",
                    "CREATE FUNCTION twice(a INT) RETURNS INT DETERMINISTIC BEGIN DECLARE b INT; SET b = a * 2; RETURN b; END",
                    "CALL add_two('x', @total)");
            assertThat(text(connection, "SELECT @total")).isEqualTo("2");
            try (Statement call = connection.createStatement()) {
                assertThat(call.execute("CALL look()")).isTrue();
                ResultSet row = call.getResultSet();
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(1)).isEqualTo(2);
            }
            assertThat(text(connection, "SELECT twice(4)")).isEqualTo("8");
            assertThat(text(connection, "SELECT COUNT(*) FROM journal WHERE entry <= 2"))
                    .isEqualTo("4");
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
    void shouldBeginTransactionsBySqlAsTheyAreAskedFor() throws SQLException {
        cluster.run("INSERT INTO entry (id, v) VALUES (100, 'a')");
        try (Connection connection = cluster.connect()) {
            run(connection, "START TRANSACTION READ ONLY");
            assertThat(text(connection, "SELECT v FROM entry WHERE id = 100")).isEqualTo("a");
            assertThat(node(connection)).isEqualTo("satellite");
            cluster.run("UPDATE entry SET v = 'b' WHERE id = 100");
            assertThat(text(connection, "SELECT v FROM entry WHERE id = 100")).isEqualTo("a");
            run(connection, "COMMIT");
            assertThat(text(connection, "SELECT v FROM entry WHERE id = 100")).isEqualTo("b");

            run(connection, "SET SESSION TRANSACTION READ ONLY");
            run(connection, "START TRANSACTION READ WRITE", "UPDATE entry SET v = 'c' WHERE id = 100", "COMMIT");
            run(connection, "SET SESSION TRANSACTION READ WRITE");
            assertThat(text(connection, "SELECT v FROM entry WHERE id = 100")).isEqualTo("c");

            run(connection, "SET TRANSACTION ISOLATION LEVEL READ COMMITTED", "START TRANSACTION");
            assertThat(text(connection, "SELECT v FROM entry WHERE id = 100 FOR UPDATE"))
                    .isEqualTo("c");
            assertThat(text(connection, "SELECT n FROM entry WHERE id = 100")).isEqualTo("0");
            assertThatThrownBy(() -> run(connection, "SET TRANSACTION READ ONLY"))
                    .extracting("SQLState")
                    .isEqualTo("25001");
            run(connection, "ROLLBACK");
            assertThat(pinned()).isEmpty();
        }
        copies.assertSame();
    }

    @Test
    void shouldRefuseChangesWhereSqlSaysReadOnly() throws SQLException {
        try (Connection connection = cluster.connect()) {
            refusesChangesWhereSqlSaysReadOnly(connection, 7000);
            run(connection, "SET SESSION TRANSACTION READ ONLY");
            assertReadOnly(connection, "CREATE TABLE never_made (id INT PRIMARY KEY)");
            assertReadOnly(connection, "ALTER TABLE entry ADD COLUMN never_made INT");
            run(connection, "SET SESSION TRANSACTION READ WRITE");
            assertThat(pinned()).isEmpty();
            run(connection, "SET @kept = 1");
            refusesChangesWhereSqlSaysReadOnly(connection, 7010);
        }
        copies.assertSame();
    }

    private void refusesChangesWhereSqlSaysReadOnly(Connection connection, int id) throws SQLException {
        String insert = "INSERT INTO entry (id) VALUES (" + id + ")";
        run(connection, "SET TRANSACTION READ ONLY");
        assertReadOnly(connection, insert);
        run(connection, insert, "SET TRANSACTION READ ONLY");
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

    /** In REPEATABLE READ the second answer would be the first one's. */
    @Test
    void shouldTakeTheIsolationThatSqlAsksFor() throws SQLException {
        cluster.run("INSERT INTO entry (id, n) VALUES (200, 1)");
        try (Connection connection = cluster.connect()) {
            run(connection, "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED");
            assertThat(pinned()).isEmpty();
            for (int round = 1; round <= 2; round++) {
                run(connection, "BEGIN", "INSERT INTO journal VALUES (200, 'on the master')");
                assertThat(text(connection, "SELECT n FROM entry WHERE id = 200"))
                        .isEqualTo(String.valueOf(round));
                cluster.run("UPDATE entry SET n = n + 1 WHERE id = 200");
                assertThat(text(connection, "SELECT n FROM entry WHERE id = 200"))
                        .isEqualTo(String.valueOf(round + 1));
                run(connection, "COMMIT");
            }
        }
    }

    @Test
    void shouldTakeASnapshotAtOnce() throws SQLException {
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
    void shouldKeepLocksVariablesAndTemporaryTablesWithTheirClient() throws SQLException {
        try (Connection one = cluster.connect();
                Connection other = cluster.connect()) {
            assertThat(text(one, "SELECT GET_LOCK('mine', 0)")).isEqualTo("1");
            assertThat(text(other, "SELECT GET_LOCK('mine', 0)")).isEqualTo("0");
            assertThat(text(one, "SELECT RELEASE_LOCK('mine')")).isEqualTo("1");
            assertThat(text(other, "SELECT GET_LOCK('mine', 0)")).isEqualTo("1");
            assertThat(text(other, "SELECT RELEASE_LOCK('mine')")).isEqualTo("1");
            run(one, "CREATE TEMPORARY TABLE few AS SELECT 7 AS a", "SET @b = 5");
            assertThat(text(one, "SELECT a + @b FROM few")).isEqualTo("12");
            run(
                    one,
                    "INSERT INTO entry (id, n) SELECT 500, a + @b FROM few",
                    "DROP TEMPORARY TABLE few",
                    "SET @b = NULL");
        }
        copies.assertSame();
    }

    @Test
    void shouldPrepareBySqlAfterALookAtTheText() throws SQLException {
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
        }
        copies.assertSame();
        assertThat(text("SELECT COUNT(*) FROM entry WHERE id BETWEEN 700 AND 701"))
                .isEqualTo("1");
    }

    private static String text(Connection connection, String query) throws SQLException {
        return Sql.text(connection, query);
    }

    private String text(String query) throws SQLException {
        try (Connection connection = cluster.connect()) {
            return Sql.text(connection, query);
        }
    }

    @Test
    void shouldReadViewsOnSatellites() throws Exception {
        cluster.run(
                "CREATE TABLE seen (id INT PRIMARY KEY, v VARCHAR(20), n INT)",
                "INSERT INTO seen VALUES (1, 'one', 1), (2, 'two', NULL)",
                "CREATE VIEW some_seen (number, `what it says`) AS SELECT id, COALESCE(CONCAT(v, '!'), 'none') FROM seen WHERE n IS NULL OR CAST(n AS SIGNED) > 0",
                "CREATE OR REPLACE VIEW a_view_of_it AS SELECT s.number, t.v FROM some_seen s LEFT JOIN seen t ON t.id = s.number",
                "CREATE FUNCTION noted() RETURNS INT DETERMINISTIC NO SQL RETURN 1",
                "CREATE VIEW masters AS SELECT id, noted() FROM seen",
                "CREATE VIEW masters_too AS SELECT id, CURRENT_USER() FROM seen");
        assertRead("SELECT GROUP_CONCAT(`what it says` ORDER BY number) FROM some_seen", "one!,two!", "satellite");
        assertRead("SELECT COUNT(*) FROM a_view_of_it", "2", "satellite");
        assertRead("SELECT COUNT(*) FROM masters", "2", "master");
        assertRead("SELECT COUNT(*) FROM masters_too", "2", "master");
        cluster.run("UPDATE seen SET v = 'changed' WHERE id = 1", "ALTER TABLE seen ADD COLUMN more INT DEFAULT 4");
        assertRead("SELECT v FROM a_view_of_it WHERE number = 1", "changed", "satellite");
        cluster.run(
                "CREATE OR REPLACE VIEW some_seen AS SELECT id AS number, 'other' AS `what it says` FROM seen LIMIT 1");
        assertRead("SELECT `what it says` FROM some_seen", "other", "satellite");
        cluster.run("RENAME TABLE some_seen TO renamed", "ALTER VIEW renamed AS SELECT n FROM seen WHERE id = 1");
        assertRead("SELECT n FROM renamed", "1", "satellite");
        assertThatThrownBy(() -> text("SELECT * FROM some_seen")).hasMessageContaining("some_seen");
        cluster.run("DROP VIEW renamed, masters_too", "CREATE VIEW last_one AS SELECT 1 AS one");
        assertThatThrownBy(() -> text("SELECT * FROM renamed")).hasMessageContaining("renamed");
        copies.assertSame();
        cluster.restartMiddleware();
        cluster.awaitOnline();
        assertRead("SELECT one FROM last_one", "1", "satellite");
        copies.assertSame(); // nothing was seeded anew
        cluster.run("ALTER MULTIMED SATELLITE satellite RESEED FORCE");
        cluster.awaitOnline();
        assertRead("SELECT one FROM last_one", "1", "satellite");
        copies.mark();
    }

    private void assertRead(String query, String answer, String node) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, query)).as(query).isEqualTo(answer);
            assertThat(node(connection)).as(query).isEqualTo(node);
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

    @Test
    void shouldAnswerWhatClientsSendWhenTheyConnectAndLeakNothing() throws SQLException {
        String before;
        try (Connection connection = cluster.connect()) {
            before = text(
                    connection,
                    "SELECT CONCAT_WS(' ', @@sql_mode, @@character_set_results, @@time_zone, @@collation_connection)");
        }
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "/* mysql-connector-j */ SELECT @@session.auto_increment_increment AS a, @@character_set_client AS b, @@max_allowed_packet AS c, @@time_zone AS d",
                    "SHOW VARIABLES LIKE 'lower_case_%'",
                    "SET NAMES latin1",
                    "SET character_set_results = NULL",
                    "SET sql_mode = 'ANSI_QUOTES'",
                    "SET time_zone = '+05:00'",
                    "SELECT @@session.transaction_read_only",
                    "SHOW WARNINGS",
                    "SELECT CONNECTION_ID()");
            assertThat(text(connection, "SELECT @@sql_mode")).contains("ANSI_QUOTES");
        }
        awaitTheEndOfTheClientsBefore();
        for (int i = 0; i < 4; i++) {
            try (Connection next = cluster.connect()) {
                assertThat(
                                text(
                                        next,
                                        "SELECT CONCAT_WS(' ', @@sql_mode, @@character_set_results, @@time_zone, @@collation_connection)"))
                        .isEqualTo(before);
            }
        }
    }

    @Test
    void shouldRefuseClearlyWhatItCannotOrder() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String sql : new String[] {
                "LOCK TABLES entry READ",
                "XA START 'a'",
                "HANDLER entry OPEN",
                "SET sql_mode = '', autocommit = 1",
                "BEGIN NOT ATOMIC INSERT INTO entry (id) VALUES (1); COMMIT; END"
            }) {
                assertThatThrownBy(() -> run(connection, sql))
                        .as(sql)
                        .hasMessageContaining("supported through Multimed: ")
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            run(connection, "UNLOCK TABLES");
        }
        assertThat(pinned()).isEmpty();
    }
}
