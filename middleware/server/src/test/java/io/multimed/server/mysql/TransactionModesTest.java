// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Sets the access mode of transactions by SQL in all forms, and then changes a row: the change is executed or refused
 * as on the engine, where only a statement that begins a transaction uses the mode of SET TRANSACTION up.
 */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine("mariadb")
@Tag("exhaustive")
class TransactionModesTest extends SmallPoolTest {
    private static final String ONCE = "SET TRANSACTION READ ONLY";

    TransactionModesTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                3,
                "CREATE TABLE moded (id INT PRIMARY KEY, v INT)",
                "INSERT INTO moded VALUES (1, 1)",
                "CREATE PROCEDURE nothing() BEGIN END",
                "CREATE PROCEDURE reading() BEGIN SELECT v FROM moded; END",
                "CREATE FUNCTION one() RETURNS INT DETERMINISTIC RETURN 1",
                "CREATE FUNCTION most() RETURNS INT READS SQL DATA RETURN (SELECT MAX(v) FROM moded)");
        cluster.awaitApplied();
    }

    @Test
    void shouldKeepTheModeUntilAStatementBeginsATransaction() throws SQLException {
        assertOutcomes(
                true,
                "SET @y = 1",
                "SET NAMES utf8mb4",
                "SET autocommit = 1",
                "DO 1",
                "DO one()",
                "SELECT 1",
                "SELECT one()",
                "SELECT @@tx_isolation",
                "SELECT GET_LOCK('moded', 0)",
                "SELECT RELEASE_LOCK('moded')",
                "SHOW TABLES",
                "SHOW CREATE TABLE moded",
                "DESCRIBE moded",
                "EXPLAIN SELECT 1",
                "SELECT COUNT(*) > 0 FROM information_schema.tables",
                "SELECT nonsense",
                "SELECT v FROM missing",
                "CALL nothing()",
                "CALL missing()",
                "UPDATE moded SET v = v",
                "PREPARE p FROM 'SELECT v FROM moded'",
                "CREATE TABLE never_made (i BADTYPE)",
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE");
    }

    @Test
    void shouldUseTheModeUpWithTheFirstTransaction() throws SQLException {
        assertOutcomes(
                false,
                "SET @y = (SELECT MAX(v) FROM moded)",
                "DO most()",
                "SELECT most()",
                "SELECT v FROM moded",
                "SELECT v FROM moded WHERE 1 = 0",
                "SELECT nonsense FROM moded",
                "SELECT SLEEP(0) FROM moded",
                "EXPLAIN SELECT v FROM moded",
                "CALL reading()",
                "COMMIT",
                "ROLLBACK",
                "BEGIN;COMMIT",
                "DO 1;COMMIT",
                "ANALYZE TABLE moded",
                "CREATE TABLE made (i INT);DROP TABLE made",
                "SET SESSION TRANSACTION READ WRITE",
                "SET tx_read_only = 0",
                "SET @@tx_read_only = 0");
    }

    private static void assertOutcomes(boolean refused, String... between) throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        for (String pinning : List.of("", "SET @pinned = 1;")) {
            for (String each : between) {
                expect(softly, pinning + ONCE + ";" + each, refused);
            }
        }
        softly.assertAll();
    }

    @Test
    void shouldSetModesInAllForms() throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        for (String form : List.of(
                "SET transaction_read_only = 1",
                "SET LOCAL tx_read_only = ON",
                "SET @@session.`tx_read_only` = 1",
                "SET @@transaction_read_only = 1",
                "SET @@tx_read_only = 1",
                "SET @@tx_read_only = TRUE, @@tx_isolation = 'SERIALIZABLE'",
                "SET TRANSACTION READ WRITE;SET SESSION TRANSACTION READ ONLY",
                "SET SESSION TRANSACTION READ ONLY;SET TRANSACTION READ WRITE;SELECT v FROM moded",
                "SET autocommit = 0;SET TRANSACTION READ ONLY;SELECT v FROM moded;SET autocommit = 1")) {
            expect(softly, form, true);
        }
        for (String form : List.of(
                "SET tx_read_only = 1;SET tx_read_only = 0",
                "SET @@tx_read_only = 1;SELECT v FROM moded",
                "SET @old = @@tx_read_only")) {
            expect(softly, form, false);
        }
        softly.assertAll();
    }

    @Test
    void shouldRefuseModesWhoseEffectIsNotKnown() throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        for (String form : List.of(
                "SET @x = 1, transaction_read_only = 1",
                "SET transaction_read_only = 1, @x = 1",
                "SET tx_read_only = @x",
                "SET autocommit = 0;DO 1;SET SESSION TRANSACTION READ ONLY",
                "SET completion_type = 1",
                "SET sql_big_selects = 0, max_join_size = 1")) {
            try (Connection connection = cluster.connect()) {
                String[] statements = form.split(";", -1);
                for (int i = 0; i < statements.length - 1; i++) {
                    run(connection, statements[i]);
                }
                softly.assertThat(state(connection, statements[statements.length - 1]))
                        .as(form)
                        .isEqualTo("0A000");
            }
        }
        softly.assertAll();
    }

    /** Tests that only the commit by which auto-commit is switched on keeps modes of the next transaction. */
    @Test
    void shouldEndModesByJdbcAsTheEnginesOwnDriver() throws SQLException {
        SoftAssertions softly = new SoftAssertions();
        for (String kept : List.of(
                "%s;SELECT v FROM moded;auto-commit on",
                "%s;SELECT v FROM moded;auto-commit on;auto-commit off",
                "%s;SELECT v FROM moded;commit;%s;auto-commit on",
                "%s;auto-commit on",
                "%s;auto-commit on;SELECT 1",
                "auto-commit on;BEGIN;auto-commit off;COMMIT;%s;SELECT v FROM moded;auto-commit on")) {
            expect(softly, "auto-commit off;" + kept.replace("%s", ONCE), true);
        }
        for (String ended : List.of(
                "%s;commit",
                "%s;rollback",
                "%s;SELECT 1;commit",
                "%s;SELECT v FROM moded;commit",
                "%s;SELECT v FROM moded;commit;auto-commit on",
                "%s;SELECT v FROM moded;auto-commit on;SELECT v FROM moded",
                "%s;SELECT v FROM moded;auto-commit on;COMMIT",
                "%s;read-only off",
                "%s;SELECT v FROM moded;auto-commit on;read-only off")) {
            expect(softly, "auto-commit off;" + ended.replace("%s", ONCE), false);
        }
        softly.assertAll();
    }

    /** Tests that the driver refuses the same maintenance as Connector/J. */
    @Test
    void shouldRefuseMaintenanceThatRebuildsTablesOnReadOnlyConnections() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            for (String rebuild : List.of("OPTIMIZE TABLE moded", "REPAIR TABLE moded", "CREATE TABLE made (i INT)")) {
                assertThat(state(connection, rebuild)).as(rebuild).isEqualTo("S1009");
            }
            assertThat(state(connection, "CHECK TABLE moded")).isEmpty();
        }
    }

    private static void expect(SoftAssertions softly, String statements, boolean refused) throws SQLException {
        softly.assertThat(isRefused(statements)).as(statements).isEqualTo(refused);
    }

    /** Returns whether a change is refused after statements, some of which may fail. */
    private static boolean isRefused(String statements) throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String each : statements.split(";", -1)) {
                state(connection, each);
            }
            String state = state(connection, "UPDATE moded SET v = v + 1");
            assertThat(state).as(statements).isIn("", "25006");
            return !state.isEmpty();
        }
    }

    /** Executes a statement, or makes a call of JDBC, and returns the SQLState of its error; empty if it succeeds. */
    private static String state(Connection connection, String sql) {
        try (Statement statement = connection.createStatement()) {
            switch (sql) {
                case "auto-commit off" -> connection.setAutoCommit(false);
                case "auto-commit on" -> connection.setAutoCommit(true);
                case "read-only off" -> connection.setReadOnly(false);
                case "commit" -> connection.commit();
                case "rollback" -> connection.rollback();
                default -> statement.execute(sql);
            }
            return "";
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }
}
