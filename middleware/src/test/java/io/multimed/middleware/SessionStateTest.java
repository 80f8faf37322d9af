package io.multimed.middleware;

import static io.multimed.middleware.Sql.run;
import static io.multimed.middleware.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** State of an engine's session: stays with the client that made it, is shown, ends, and never meets the next client. The master has two connections only. */
@Timeout(600)
class SessionStateTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() throws Exception {
        cluster = TestCluster.of("""
                        share-cores: true
                        nodes:
                        - {name: master, role: master, memory: 128m, pool: 2}
                        - {name: satellite, role: satellite, memory: 128m}
                        """).awaitOnline();
        try (Connection connection = cluster.connect()) {
            run(
                    connection,
                    "CREATE TABLE thing (id int PRIMARY KEY, v text)",
                    "INSERT INTO thing VALUES (1, 'a')",
                    "CREATE SEQUENCE counter",
                    "CREATE ROLE guest",
                    "GRANT SELECT, INSERT, UPDATE ON thing TO guest",
                    "CREATE FUNCTION sly() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_lock(77); CREATE TEMP TABLE sly_temp (a int); RETURN 1; END $$",
                    "CREATE FUNCTION sly_stable() RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN PERFORM pg_advisory_xact_lock(78); RETURN 1; END $$");
        }
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    /** A client that closes its connection does not wait for an answer. */
    @BeforeEach
    void awaitTheEndOfTheClientsBefore() {
        await().atMost(Duration.ofMinutes(3)).until(() -> pinned().isEmpty());
    }

    private static String node(Connection connection) throws SQLException {
        text(connection, "SELECT v FROM thing WHERE id = 1");
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    private static String pinned() {
        return cluster.middleware().status().nodes().get(0).pinned();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "SET statement_timeout = '7s' | RESET statement_timeout | settings",
                "SET search_path = pg_catalog, public | RESET ALL | settings",
                "SET statement_timeout = '7s' | SET statement_timeout TO DEFAULT | settings",
                "SET SESSION app.tenant = '5' | RESET app.tenant | settings",
                "SELECT set_config('app.tenant', '5', false) | SELECT set_config('app.tenant', '', false) | settings",
                "SELECT set_config('work_mem', '5MB', false) | RESET ALL | settings",
                "SET ROLE guest | RESET ROLE | role",
                "SET SESSION AUTHORIZATION guest | RESET SESSION AUTHORIZATION | role",
                "CREATE TEMP TABLE scratch (a int) | DROP TABLE scratch | temporary tables",
                "CREATE TEMPORARY TABLE scratch AS SELECT 1 AS a | DISCARD TEMP | temporary tables",
                "SELECT 1 AS a INTO TEMP scratch | DROP TABLE scratch | temporary tables",
                "SELECT pg_advisory_lock(5) | SELECT pg_advisory_unlock(5) | advisory locks",
                "SELECT pg_try_advisory_lock(5) | SELECT pg_advisory_unlock_all() | advisory locks",
                "PREPARE one AS SELECT 1 | DEALLOCATE one | prepared statements",
                "PREPARE one AS SELECT 1 | DEALLOCATE ALL | prepared statements",
                "DECLARE held CURSOR WITH HOLD FOR SELECT 1 | CLOSE held | cursors",
                "SELECT sly() | DISCARD ALL | advisory locks",
                "UPDATE thing SET v = 'a' WHERE id = 1 AND pg_advisory_lock(5) IS NOT NULL | SELECT pg_advisory_unlock(5) | advisory locks",
                "UPDATE thing SET v = set_config('app.tenant', 'a', false) | RESET app.tenant | settings",
                "DO $$ BEGIN CREATE TEMP TABLE scratch (a int); END $$ | DROP TABLE scratch | temporary tables",
                "SET default_transaction_read_only = on | DISCARD ALL | settings",
                "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE | DISCARD ALL | settings"
            })
    void shouldKeepTheConnectionAsLongAsTheStateIsThereAndNoLonger(String begin, String end, String shown)
            throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(node(connection)).isEqualTo("satellite");
            run(connection, begin);
            assertThat(pinned()).startsWith("1 (").contains(shown + " 1");
            assertThat(node(connection)).isEqualTo("master");
            assertThat(text(connection, "SHOW MULTIMED STATUS")).isEqualTo("master");
            run(connection, end);
            assertThat(pinned()).isEmpty();
            assertThat(node(connection)).isEqualTo("satellite");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET LOCAL statement_timeout = '7s'",
                "SET CONSTRAINTS ALL DEFERRED",
                "SELECT set_config('app.tenant', '5', true)",
                "SELECT pg_advisory_xact_lock(5)",
                "NOTIFY somebody",
                "SELECT nextval('counter')",
                "CREATE TEMP TABLE passing (a int) ON COMMIT DROP",
                "RESET ALL",
                "DEALLOCATE ALL",
                "UNLISTEN *",
                "DISCARD ALL"
            })
    void shouldNotKeepAConnectionForWhatEndsWithItsTransaction(String sql) throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, sql);
            assertThat(pinned()).isEmpty();
            assertThat(node(connection)).isEqualTo("satellite");
        }
    }

    @Test
    void shouldWorkInTheSessionAsWithAPlainConnection() throws SQLException {
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
            assertThat(pinned()).contains("prepared statements 1", "temporary tables 1");
            run(connection, "DISCARD ALL");
            assertThat(text(connection, "SELECT count(*) FROM thing WHERE id >= 50"))
                    .isEqualTo("1");
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).isEqualTo("satellite");
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
            assertThat(pinned()).isEmpty();
            run(connection, "SET statement_timeout = '7s'");
            connection.commit();
            assertThat(pinned()).isEqualTo("1 (settings 1)");
            connection.setAutoCommit(true);
            assertThatThrownBy(() -> run(connection, "SET no_such_setting = 1")).isInstanceOf(SQLException.class);
            assertThat(text(connection, "SHOW statement_timeout")).isEqualTo("7s");
        }
    }

    @Test
    void shouldLeaveNothingToTheNextClient() throws SQLException {
        for (int round = 0; round < 4; round++) {
            try (Connection connection = cluster.connect()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                run(
                        connection,
                        "SET statement_timeout = '7s'",
                        "SET app.tenant = '5'",
                        "SET default_transaction_isolation = serializable",
                        "SET default_transaction_read_only = on",
                        "SET ROLE guest",
                        "PREPARE leak AS SELECT 1",
                        "SELECT pg_advisory_lock(99)",
                        "SELECT sly_stable()");
                connection.setReadOnly(true);
            }
            await().atMost(Duration.ofMinutes(3)).until(() -> pinned().isEmpty());
            try (Connection first = cluster.connect();
                    Connection second = cluster.connect()) {
                for (Connection next : List.of(first, second)) {
                    next.setAutoCommit(false); // both of the master's connections at once
                    run(next, "UPDATE thing SET v = 'a' WHERE id = " + (next == first ? 1 : 50));
                }
                for (Connection next : List.of(first, second)) {
                    assertThat(text(next, "SHOW statement_timeout")).isEqualTo("0");
                    assertThat(text(next, "SELECT coalesce(current_setting('app.tenant', true), '')"))
                            .isEmpty();
                    assertThat(text(next, "SHOW transaction_isolation")).isEqualTo("read committed");
                    assertThat(text(next, "SHOW transaction_read_only")).isEqualTo("off");
                    assertThat(text(next, "SELECT current_user = session_user AND session_user <> 'guest'"))
                            .isEqualTo("t");
                    assertThat(text(next, "SELECT count(*) FROM pg_prepared_statements WHERE name = 'leak'"))
                            .isEqualTo("0");
                    assertThat(
                                    text(
                                            next,
                                            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid IN (77, 78, 99)"))
                            .isEqualTo("0");
                    assertThat(text(
                                    next,
                                    "SELECT count(*) FROM pg_class WHERE relname LIKE 's%' AND relpersistence = 't'"))
                            .isEqualTo("0");
                    next.rollback();
                }
            }
        }
    }

    @Test
    void shouldRefuseWhatCannotBeTrue() throws SQLException {
        try (Connection connection = cluster.connect()) {
            for (String sql : List.of(
                    "LISTEN somebody",
                    "LOAD 'auto_explain'",
                    "SELECT currval('counter')",
                    "EXECUTE nothing",
                    "PREPARE TRANSACTION 'x'")) {
                assertThatThrownBy(() -> run(connection, sql))
                        .as(sql)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            connection.setAutoCommit(false);
            run(connection, "INSERT INTO thing VALUES (70, 'x')");
            assertThatThrownBy(() -> run(connection, "DISCARD ALL"))
                    .extracting("SQLState")
                    .isEqualTo("25001");
        }
    }

    private static final List<String> EFFECTS = List.of(
            "SELECT pg_advisory_lock(5)",
            "SELECT pg_advisory_xact_lock(5)",
            "SELECT set_config('app.x', '1', true)",
            "SELECT sly()",
            "SET ROLE guest");

    /** An application that asks for no isolation has each statement see what is there by then: so the rest of the transaction may see the master. */
    @Test
    void shouldGoOnAtTheMasterWithAReadOnlyTransactionThatTurnsOutToNeedIt() throws SQLException {
        for (String sql : EFFECTS) {
            try (Connection connection = cluster.connect()) {
                connection.setReadOnly(true);
                connection.setAutoCommit(false);
                assertThat(node(connection)).isEqualTo("satellite");
                if (sql.equals("SELECT sly()")) {
                    assertThatThrownBy(() -> run(connection, sql))
                            .extracting("SQLState")
                            .isEqualTo("25006");
                } else {
                    run(connection, sql);
                    assertThat(node(connection)).as(sql).isEqualTo("master");
                    assertThatThrownBy(() -> run(connection, "UPDATE thing SET v = 'b' WHERE id = 1"))
                            .extracting("SQLState")
                            .isEqualTo("25006");
                }
                connection.rollback();
                connection.setReadOnly(false);
                run(connection, "DISCARD ALL");
            }
        }
        assertThat(pinned()).isEmpty();
    }

    @Test
    void shouldNeverRunEffectsOnASatellite() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            run(connection, "SELECT pg_advisory_xact_lock(5)", "SELECT sly_stable()");
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            connection.setAutoCommit(false);
            assertThat(node(connection)).isEqualTo("satellite");
            for (String sql : EFFECTS) {
                assertThatThrownBy(() -> run(connection, sql))
                        .as(sql)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            assertThat(text(connection, "SELECT count(*) FROM pg_class WHERE relname = 'counter'"))
                    .isEqualTo("1");
            assertThat(node(connection)).isEqualTo("satellite");
            connection.rollback();
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    @Test
    void shouldNotTakeResultsOrSavepointsAwayFromAReadOnlyTransaction() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            assertThat(node(connection)).isEqualTo("satellite");
            connection.setSavepoint("here");
            assertThatThrownBy(() -> run(connection, EFFECTS.get(1)))
                    .hasMessageContaining("open results or savepoints")
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            connection.rollback();
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(1);
                try (ResultSet rows = statement.executeQuery("SELECT g FROM generate_series(1, 9) AS g, thing")) {
                    assertThat(rows.next()).isTrue();
                    assertThatThrownBy(() -> run(connection, EFFECTS.get(1)))
                            .extracting("SQLState")
                            .isEqualTo("0A000");
                    assertThat(rows.next()).isTrue();
                }
            }
            connection.rollback();
        }
    }

    @Test
    void shouldKeepOneConnectionOfTheMastersForAllOthers() throws SQLException {
        try (Connection first = cluster.connect();
                Connection second = cluster.connect()) {
            run(first, "SET statement_timeout = '7s'");
            assertThatThrownBy(() -> run(second, "SET statement_timeout = '7s'"))
                    .hasMessageContaining("too many clients keep a connection")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            run(second, "INSERT INTO thing VALUES (60, 'x')", "DELETE FROM thing WHERE id = 60");
            run(first, "RESET ALL");
            run(second, "SET statement_timeout = '7s'");
        }
        await().atMost(Duration.ofMinutes(3)).until(() -> pinned().isEmpty());
    }

    /** As frameworks use them at their start. */
    @Test
    void shouldGiveALockOfATransactionToOneAlone() throws SQLException {
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
            assertThat(pinned()).isEmpty();
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
            assertThat(pinned()).contains("settings 1");
            run(connection, "DROP SCHEMA shelf CASCADE", "DISCARD ALL");
            assertThat(pinned()).isEmpty();
        }
    }

    @Test
    void shouldBeAnotherRoleUntilItIsResetOrTheTransactionEnds() throws SQLException {
        try (Connection connection = cluster.connect()) {
            run(connection, "SET ROLE guest");
            assertThat(text(connection, "SELECT current_user")).isEqualTo("guest");
            assertThatThrownBy(() -> run(connection, "DELETE FROM thing"))
                    .extracting("SQLState")
                    .isEqualTo("42501");
            run(connection, "UPDATE thing SET v = v", "RESET ROLE");
            assertThat(pinned()).isEmpty();
            connection.setAutoCommit(false);
            run(connection, "SET LOCAL ROLE guest");
            assertThat(text(connection, "SELECT current_user")).isEqualTo("guest");
            connection.commit();
            assertThat(text(connection, "SELECT current_user")).isNotEqualTo("guest");
            connection.commit();
            assertThat(pinned()).isEmpty();
        }
    }
}
