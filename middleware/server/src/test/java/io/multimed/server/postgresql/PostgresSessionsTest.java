// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.postgresql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Checks session state of PostgreSQL: settings that a rollback undoes, roles, the search path, cursors, advisory locks
 * of transactions.
 */
@Tag("slow")
@Timeout(600)
class PostgresSessionsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.withSmallPool("postgresql", 2);
        cluster.run(
                "CREATE TABLE thing (id int PRIMARY KEY, v text)",
                "INSERT INTO thing VALUES (1, 'a')",
                "CREATE SEQUENCE counter",
                "CREATE ROLE guest",
                "GRANT SELECT, INSERT, UPDATE ON thing TO guest",
                "CREATE FUNCTION sly() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(77); CREATE TEMP TABLE sly_temp (a int); RETURN 1; END $$",
                "CREATE FUNCTION sly_stable() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_advisory_xact_lock(78); RETURN 1; END $$");
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @BeforeEach
    void awaitTheEndOfTheClientsBefore() {
        cluster.awaitUnpinned();
    }

    private static String node(Connection connection) throws SQLException {
        text(connection, "SELECT v FROM thing WHERE id = 1");
        return Sql.node(connection);
    }

    @Test
    void shouldRunSessionStatementsAsOnAPlainConnection() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "CREATE TEMP TABLE scratch (a int)",
                    "INSERT INTO scratch SELECT generate_series(1, 5)",
                    "PREPARE sum_up (int) AS SELECT sum(a) + $1 FROM scratch",
                    "SET search_path = public");
            assertThat(text(connection, "EXECUTE sum_up (100)")).isEqualTo("115");
            connection.setAutoCommit(false);
            run(
                    connection,
                    "INSERT INTO thing SELECT a + 100, 'temp' FROM scratch",
                    "DECLARE c CURSOR FOR SELECT a FROM scratch ORDER BY a");
            assertThat(text(connection, "FETCH 1 FROM c")).isEqualTo("1");
            assertThat(text(connection, "SELECT nextval('counter')"))
                    .isEqualTo(text(connection, "SELECT currval('counter')"));
            connection.rollback();
            run(connection, "SET ROLE guest", "INSERT INTO thing VALUES (50, 'by a guest')", "RESET ROLE");
            connection.commit();
            connection.setAutoCommit(true);
            assertThat(cluster.pinned()).contains("prepared statements 1", "temporary tables 1");
            run(connection, "DISCARD ALL");
            assertThat(text(connection, "SELECT count(*) FROM thing WHERE id >= 50"))
                    .isEqualTo("1");
            assertThat(Sql.node(connection)).isEqualTo("satellite");
            assertThatThrownBy(() -> text(connection, "SELECT * FROM scratch"))
                    .extracting("SQLState")
                    .isEqualTo("42P01");
        }
    }

    @Test
    void shouldUndoStateWithItsTransaction() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "SET statement_timeout = '7s'", "CREATE TEMP TABLE scratch (a int)");
            connection.rollback();
            assertThat(cluster.pinned()).isEmpty();
            run(connection, "SET statement_timeout = '7s'");
            connection.commit();
            assertThat(cluster.pinned()).isEqualTo("1 (settings 1)");
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> run(connection, "SET no_such_setting = 1")).isInstanceOf(SQLException.class);
            assertThat(text(connection, "SHOW statement_timeout")).isEqualTo("7s");
        }
    }

    /** A statement that Multimed executes itself has no update count. */
    @Test
    void shouldRefuseToDiscardEverythingInABatch() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement batch = connection.createStatement();
                PreparedStatement prepared = connection.prepareStatement("DISCARD ALL")) {
            run(connection, "SET statement_timeout = '7s'");
            batch.addBatch("DISCARD ALL");
            prepared.addBatch();
            for (Statement each : List.of(batch, prepared)) {
                assertThatThrownBy(each::executeBatch).extracting("SQLState").isEqualTo("0A000");
            }
            assertThat(text(connection, "SHOW statement_timeout")).isEqualTo("7s");
        }
    }

    /** Their names resemble those of settings that the engine's driver sets by itself. */
    @Test
    void shouldNotShareSettingsForAllTransactionsOfAClient() throws SQLException {
        String timeout = "SHOW idle_in_transaction_session_timeout";
        String deferrable = "SHOW default_transaction_deferrable";
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "SET idle_in_transaction_session_timeout = '77s'",
                    "SET default_transaction_deferrable = on");
            assertThat(cluster.pinned()).isEqualTo("1 (settings 1)");
            assertThat(text(connection, timeout)).isEqualTo("77s");
            assertThat(text(connection, deferrable)).isEqualTo("on");
        }
        cluster.awaitUnpinned();
        try (Connection one = cluster.connect();
                Connection other = cluster.connect()) {
            for (Connection each : List.of(one, other)) {
                each.setAutoCommit(false);
                assertThat(text(each, timeout)).isEqualTo("0");
                assertThat(text(each, deferrable)).isEqualTo("off");
            }
        }
    }

    @Test
    void shouldRefuseToDiscardEverythingInATransaction() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "INSERT INTO thing VALUES (70, 'x')");
            assertThatThrownBy(() -> run(connection, "DISCARD ALL"))
                    .extracting("SQLState")
                    .isEqualTo("25001");
        }
    }

    @Test
    void shouldNotRunEffectsOfFunctionsOnASatellite() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            run(connection, "SELECT pg_advisory_xact_lock(5)", "SELECT sly_stable()");
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            assertThat(node(connection)).isEqualTo("satellite");
            assertThatThrownBy(() -> run(connection, "SELECT sly()"))
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            assertThat(text(connection, "SELECT count(*) FROM pg_class WHERE relname = 'counter'"))
                    .isEqualTo("1");
            assertThat(node(connection)).isEqualTo("satellite");
            connection.rollback();
        }
    }

    /** The engine keeps the plans of a trigger function for each table, as long as the session lasts. */
    @Tag("exhaustive")
    @Test
    void shouldKeepFewPlansForEachTableThatASessionChanges() throws SQLException {
        int tables = 40;
        for (int i = 0; i < tables; i++) {
            cluster.run("CREATE TABLE planned_" + i + " (id int PRIMARY KEY)");
        }
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            changeAndRestore(connection, 0);
            int before = plans(connection);
            for (int i = 1; i < tables; i++) {
                changeAndRestore(connection, i);
            }
            assertThat(plans(connection) - before).isLessThan(4 * tables);
            connection.rollback();
        }
        for (int i = 0; i < tables; i++) {
            cluster.run("DROP TABLE planned_" + i);
        }
    }

    private static void changeAndRestore(Connection connection, int table) throws SQLException {
        run(
                connection,
                "INSERT INTO planned_" + table + " VALUES (1)",
                "UPDATE planned_" + table + " SET id = 2",
                "DELETE FROM planned_" + table);
    }

    private static int plans(Connection connection) throws SQLException {
        return Integer.parseInt(
                text(connection, "SELECT count(*) FROM pg_backend_memory_contexts WHERE name = 'CachedPlanSource'"));
    }

    @Test
    void shouldGrantATransactionLockToOneClientOnly() throws SQLException {
        String lock = "SELECT pg_try_advisory_xact_lock(4711)";
        try (Connection first = cluster.connect();
                Connection second = cluster.connect()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            assertThat(text(first, lock)).isEqualTo("t");
            assertThat(text(second, lock)).isEqualTo("f");
            first.commit();
            assertThat(text(second, lock)).isEqualTo("t");
            second.commit();
            assertThat(cluster.pinned()).isEmpty();
            assertThat(text(first, "SELECT pg_try_advisory_xact_lock(4711)")).isEqualTo("t");
            first.rollback();
        }
    }

    @Test
    void shouldFindTablesOnTheSearchPathThatWasSetByAParameter() throws SQLException {
        try (Connection connection = cluster.connect();
                PreparedStatement path = connection.prepareStatement("SELECT set_config('search_path', ?, ?)")) {
            run(connection, "CREATE SCHEMA shelf", "CREATE TABLE shelf.hidden (id int)");
            for (boolean local : List.of(true, false)) {
                connection.setAutoCommit(!local);
                path.setString(1, "shelf, public");
                path.setBoolean(2, local);
                path.execute();
                assertThat(text(connection, "SELECT count(*) FROM hidden")).isEqualTo("0");
                if (local) {
                    connection.commit();
                    assertThatThrownBy(() -> text(connection, "SELECT count(*) FROM hidden"))
                            .extracting("SQLState")
                            .isEqualTo("42P01");
                    connection.rollback();
                }
            }
            assertThat(cluster.pinned()).contains("settings 1");
            run(connection, "DROP SCHEMA shelf CASCADE", "DISCARD ALL");
            assertThat(cluster.pinned()).isEmpty();
        }
    }

    @Test
    void shouldUseARoleUntilItIsResetOrTheTransactionEnds() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, "SET ROLE guest");
            assertThat(text(connection, "SELECT current_user")).isEqualTo("guest");
            assertThatThrownBy(() -> run(connection, "DELETE FROM thing"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            run(connection, "UPDATE thing SET v = v", "RESET ROLE");
            assertThat(cluster.pinned()).isEmpty();
            connection.setAutoCommit(false);
            run(connection, "SET LOCAL ROLE guest");
            assertThat(text(connection, "SELECT current_user")).isEqualTo("guest");
            connection.commit();
            assertThat(text(connection, "SELECT current_user")).isNotEqualTo("guest");
            connection.commit();
            assertThat(cluster.pinned()).isEmpty();
        }
    }

    /** These values differ from node to node. */
    @Test
    void shouldReadViewsOfTheClientsNameAndOfTheCatalogOnTheMaster() throws SQLException {
        cluster.run(
                "CREATE VIEW naming AS SELECT CURRENT_USER AS l",
                "CREATE VIEW listing AS SELECT count(*) AS l FROM pg_class",
                "CREATE VIEW dated AS SELECT v, now() - interval '1 day' AS l FROM thing WHERE id = 1");
        assertRead("naming", "master");
        assertRead("listing", "master");
        assertRead("dated", "satellite");
    }

    private static void assertRead(String view, String node) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, "SELECT l FROM " + view)).isNotNull();
            assertThat(Sql.node(connection)).as(view).isEqualTo(node);
        }
    }

    /** Only the master holds a materialized view, so the master answers. */
    @Test
    void shouldReadAMaterializedViewOnTheMaster() throws SQLException {
        cluster.run("CREATE MATERIALIZED VIEW kept AS SELECT id FROM thing");
        try (Connection connection = cluster.connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(text(connection, "SELECT id FROM kept ORDER BY id")).isEqualTo("1");
                assertThat(Sql.node(connection)).isEqualTo("master");
            }
        }
        cluster.run("DROP MATERIALIZED VIEW kept");
    }
}
