// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements that belong into a transaction, out of it, or before its first query have the errors and warnings that the
 * engine's own driver reports; settings with which the engine's driver cannot work are refused.
 */
@Tag("slow")
@Timeout(300)
class TransactionWarningsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSatellites("postgresql", 1).awaitOnline();
        cluster.run(
                "CREATE TABLE p (id int PRIMARY KEY, v int)",
                "INSERT INTO p VALUES (1, 2)",
                "CREATE FUNCTION style() RETURNS int LANGUAGE plpgsql"
                        + " AS $$ BEGIN PERFORM set_config('date' || 'style', 'German', false); RETURN 1; END $$");
        cluster.awaitApplied();
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** Returns the errors and warnings of each statement. The words auto, tx and rollback are calls of the driver. */
    private static List<String> report(Connection connection, String script) throws SQLException {
        List<String> report = new ArrayList<>();
        for (String step : script.split("; ", -1)) {
            switch (step) {
                case "tx" -> connection.setAutoCommit(false);
                case "ro" -> connection.setReadOnly(true);
                case "rollback" -> connection.rollback();
                default -> report.add(step + ": " + outcome(connection, step));
            }
        }
        return report;
    }

    private static String outcome(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            StringBuilder outcome = new StringBuilder("done");
            for (SQLWarning w = statement.getWarnings(); w != null; w = w.getNextWarning()) {
                outcome.append(", ").append(w.getSQLState()).append(' ').append(w.getMessage());
            }
            return outcome.toString();
        } catch (SQLException e) {
            return e.getSQLState() + " " + e.getMessage().lines().findFirst().orElse("");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "COMMIT",
                "END",
                "ROLLBACK",
                "ABORT",
                "BEGIN; BEGIN; COMMIT; COMMIT",
                "BEGIN; SELECT v FROM p; START TRANSACTION; ROLLBACK",
                "SAVEPOINT a",
                "RELEASE SAVEPOINT a",
                "ROLLBACK TO SAVEPOINT a",
                "LOCK TABLE p",
                "DECLARE c CURSOR FOR SELECT 1",
                "SET LOCAL work_mem = '4MB'",
                "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                "SET CONSTRAINTS ALL DEFERRED",
                "BEGIN; SAVEPOINT a; RELEASE SAVEPOINT a; SET LOCAL work_mem = '4MB'; LOCK TABLE p; COMMIT",
                "tx; SELECT v FROM p; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; rollback; SELECT v FROM p",
                "tx; SELECT v FROM p; SET TRANSACTION READ ONLY; rollback",
                "tx; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT v FROM p; rollback",
                "tx; SELECT v FROM p; SET transaction_isolation = 'serializable'; rollback",
                "tx; SELECT v FROM p; SET LOCAL transaction_isolation = 'serializable'; rollback",
                "ro; tx; SELECT v FROM p; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; rollback",
                "ro; tx; SELECT v FROM p; SET TRANSACTION READ WRITE; rollback",
                "BEGIN; SELECT v FROM p; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; ROLLBACK",
                "BEGIN; SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT v FROM p; COMMIT",
                "tx; SELECT v FROM p; rollback; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SELECT v FROM p; rollback"
            })
    void shouldReportWhatTheEnginesDriverReports(String script) throws Exception {
        List<String> expected;
        try (Connection engine = cluster.direct("satellite-1")) {
            expected = report(engine, script);
        }
        try (Connection client = cluster.connect()) {
            assertThat(report(client, script)).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET DateStyle = 'Postgres'",
                "SET datestyle TO SQL, DMY",
                "SET SESSION \"datestyle\" = german",
                "SET LOCAL DateStyle = 'German, DMY'",
                "SET client_encoding = 'LATIN1'",
                "SET NAMES 'latin1'",
                "SELECT set_config('client_encoding', 'SQL_ASCII', false)",
                "/*+ multimed: master */ SELECT style()",
                "UPDATE pg_settings SET setting = 'German' WHERE name = 'DateStyle'"
            })
    void shouldRefuseSettingsWithWhichTheDriverCannotRead(String sql) throws Exception {
        for (boolean autoCommit : List.of(true, false)) {
            try (Connection client = cluster.connect()) {
                client.setAutoCommit(autoCommit);
                assertThat(outcome(client, sql)).startsWith("0A000").contains("requires client_encoding to be UTF8");
                if (!autoCommit) {
                    client.rollback();
                }
                assertThat(Sql.text(client, "SELECT DATE '2024-02-03'::text")).isEqualTo("2024-02-03");
                assertThat(Sql.text(client, "/*+ multimed: master */ SELECT DATE '2024-02-03'::text"))
                        .isEqualTo("2024-02-03");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET DateStyle = 'ISO, DMY'",
                "SET datestyle TO DMY",
                "SET client_encoding = 'utf-8'",
                "SET NAMES 'UTF8'",
                "SET client_encoding TO DEFAULT",
                "SELECT set_config('datestyle', 'ISO, YMD', false)"
            })
    void shouldAcceptSettingsWithWhichTheDriverCanRead(String sql) throws Exception {
        try (Connection client = cluster.connect()) {
            assertThat(outcome(client, sql)).isEqualTo("done");
            assertThat(Sql.text(client, "SELECT v FROM p")).isEqualTo("2");
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldReadByAFunctionThatHasJustBeenCreated() throws Exception {
        for (int i = 0; i < 20; i++) {
            String name = "vof" + i;
            String query = "SELECT p." + name + " FROM p";
            try (Connection creator = cluster.connect();
                    Connection other = cluster.connect();
                    Connection reader = cluster.connect()) {
                reader.setAutoCommit(false);
                reader.setReadOnly(true);
                Sql.text(reader, "SELECT v FROM p");
                Sql.run(creator, "CREATE FUNCTION " + name + "(p) RETURNS int LANGUAGE sql AS 'SELECT $1.v + 1'");
                assertThat(Sql.text(other, query)).isEqualTo("3");
                assertThat(Sql.text(creator, query)).isEqualTo("3");
                assertThat(outcome(reader, query)).matches("done|40001 .*");
                reader.rollback();
                assertThat(Sql.text(reader, query)).isEqualTo("3");
                reader.rollback();
            }
        }
    }
}
