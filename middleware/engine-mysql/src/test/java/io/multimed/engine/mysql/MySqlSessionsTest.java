// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.dialect.ErrorClassifier.AfterError;
import io.multimed.engine.dialect.JoinedReads;
import io.multimed.engine.dialect.LastKeys;
import io.multimed.engine.dialect.SessionWatch;
import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the state that the engines keep in a session, their last keys, and the meaning of their errors. */
@Tag("slow")
@Timeout(600)
class MySqlSessionsTest {
    private static final StateFolder STATE = StateFolder.temporary("multimed-mysql-sessions-");
    private static List<RunningEngine> engines = List.of();

    private final SqlDialect dialect = new MySqlEngine().dialect();

    @BeforeAll
    static void start() {
        engines = Stream.of("mariadb", "mysql")
                .filter(MySqlSessionsTest::isHere)
                .map(engine -> Launchers.start(
                        NodeSpec.embedded(engine, Role.MASTER, engine, CoreSet.ALL, Storage.MEMORY), "shop", STATE))
                .toList();
    }

    private static boolean isHere(String engine) {
        return LocalEngines.missing(engine)
                .map(why -> {
                    System.err.printf("SKIPPED for %s: %s%n", engine, why);
                    return false;
                })
                .orElse(true);
    }

    @AfterAll
    static void stop() {
        engines.forEach(RunningEngine::close);
        STATE.discard();
    }

    static List<RunningEngine> engines() {
        return engines;
    }

    private static Connection connect(RunningEngine engine) throws SQLException {
        return DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
    }

    private List<String> heldAfter(RunningEngine engine, Set<String> settings, String... statements)
            throws SQLException {
        try (Connection connection = connect(engine)) {
            connection.setAutoCommit(false);
            SessionWatch watch = dialect.sessions().watch(connection);
            run(connection, statements);
            connection.commit();
            return watch.inspect(connection, new LinkedHashSet<>(settings)).held();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldTakeSeveralStatementsInOneTextOnlyDuringARoundTrip(RunningEngine engine) throws SQLException {
        try (Connection connection = connect(engine)) {
            RoundTrip trip = new RoundTrip().execute("SET @one = 1");
            List<String> ones = trip.texts("SELECT @one");
            List<Long> twos =
                    trip.ask("SELECT @one + n FROM (SELECT 1 AS n UNION ALL SELECT 2) x", row -> row.getLong(1));
            trip.send(connection);
            assertThat(ones).containsExactly("1");
            assertThat(twos).containsExactlyInAnyOrder(2L, 3L);
            assertThatThrownBy(() -> run(connection, "SELECT 1; SELECT 2"))
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
            RoundTrip failing = new RoundTrip()
                    .execute("DO 1")
                    .execute("SELECT * FROM nowhere.nothing")
                    .execute("SET @one = 3");
            assertThatThrownBy(() -> failing.send(connection)).isInstanceOf(SQLException.class);
            assertThat(text(connection, "SELECT @one")).isEqualTo("1");
            assertThatThrownBy(() -> run(connection, "SELECT 1; SELECT 2"))
                    .hasFieldOrPropertyWithValue("SQLState", "42000");
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldFindNothingAfterOrdinaryWork(RunningEngine engine) throws SQLException {
        assertThat(heldAfter(
                        engine,
                        Set.of(),
                        "CREATE TABLE IF NOT EXISTS plain (a INT AUTO_INCREMENT PRIMARY KEY, b INT)",
                        "INSERT INTO plain (b) VALUES (1)",
                        "SELECT SLEEP(0.01), LAST_INSERT_ID()",
                        "SET sql_mode = @@sql_mode"))
                .isEmpty();
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldFindTheStateOfASession(RunningEngine engine) throws SQLException {
        assertThat(heldAfter(engine, Set.of(), "SET sql_mode = 'ANSI_QUOTES'")).containsExactly("settings");
        assertThat(heldAfter(engine, Set.of(), "SET NAMES latin1")).containsExactly("settings");
        assertThat(heldAfter(engine, Set.of(), "USE information_schema")).containsExactly("settings");
        assertThat(heldAfter(engine, Set.of(), "SET @a = 1")).containsExactly("user variables");
        assertThat(heldAfter(engine, Set.of(), "CREATE TEMPORARY TABLE tt (a INT)"))
                .containsExactly("temporary tables");
        String lock = MySqlSessions.LOCK + "IS_USED_LOCK('a') = CONNECTION_ID()";
        assertThat(heldAfter(engine, Set.of(lock), "SELECT GET_LOCK('a', 0)")).containsExactly("locks");
        assertThat(heldAfter(engine, Set.of(lock), "SELECT GET_LOCK('a', 0)", "SELECT RELEASE_LOCK('a')"))
                .isEmpty();
        assertThat(heldAfter(engine, Set.of(MySqlSessions.ANY_LOCK), "SELECT GET_LOCK('a', 0)"))
                .containsExactly("locks");
        assertThat(heldAfter(engine, Set.of(MySqlSessions.NO_LOCKS), "SELECT RELEASE_ALL_LOCKS()"))
                .isEmpty();
    }

    /** A lock of an unknown name counts as held until all locks are released if the engine does not list locks. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldNotOverlookLocksOfUnknownNames(RunningEngine engine) throws SQLException {
        boolean lists = engine.node().engine().equals("mysql");
        String[] released = {"SELECT GET_LOCK('a', 0)", "SELECT RELEASE_LOCK('a')"};
        assertThat(heldAfter(engine, Set.of(MySqlSessions.ANY_LOCK), released).isEmpty())
                .isEqualTo(lists);
    }

    /** A prepared statement counts as held until the client closes if the engine does not list such statements. */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldNotOverlookPreparedStatements(RunningEngine engine) throws SQLException {
        boolean lists = engine.node().engine().equals("mysql");
        Set<String> settings = Set.of(MySqlSessions.PREPARED);
        String[] ended = {"PREPARE p FROM 'SELECT 1'", "DEALLOCATE PREPARE p"};
        assertThat(heldAfter(engine, settings, ended[0])).containsExactly(MySqlSessions.PREPARED);
        assertThat(heldAfter(engine, settings, ended).isEmpty()).isEqualTo(lists);
        if (lists) {
            String instrument =
                    "UPDATE performance_schema.setup_instruments SET ENABLED = '%s' WHERE NAME = 'statement/sql/prepare_sql'";
            try (Connection administrator = connect(engine)) {
                run(administrator, instrument.formatted("NO"));
                assertThat(heldAfter(engine, settings, ended[0])).containsExactly(MySqlSessions.PREPARED);
                run(administrator, instrument.formatted("YES"));
            }
        }
    }

    /**
     * The engine reports changes with each answer, regardless of their origin: the client's text need not contain them.
     */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldLearnOfChangesInASession(RunningEngine engine) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", engine.user());
        properties.setProperty("password", engine.password());
        properties.setProperty("trackSessionState", "true");
        properties.setProperty("sessionVariables", SessionChanges.TELL_ALL);
        try (Connection connection = DriverManager.getConnection(engine.jdbcUrl(), properties)) {
            run(
                    connection,
                    "DROP TABLE IF EXISTS told",
                    "CREATE TABLE told (a INT)",
                    "CREATE TRIGGER tells BEFORE INSERT ON told FOR EACH ROW SET sort_buffer_size = 400000",
                    "DROP FUNCTION IF EXISTS telling",
                    "CREATE FUNCTION telling() RETURNS INT NO SQL BEGIN SET @told = 5; RETURN 1; END",
                    "DROP FUNCTION IF EXISTS hushing",
                    "CREATE FUNCTION hushing() RETURNS INT NO SQL BEGIN SET session_track_system_variables = '', session_track_state_change = OFF; RETURN 1; END",
                    "DROP PROCEDURE IF EXISTS tell",
                    "CREATE PROCEDURE tell() CREATE TEMPORARY TABLE IF NOT EXISTS hidden (a INT)");
            for (String quiet : List.of(
                    "SELECT 1",
                    "INSERT INTO told SELECT 1 FROM DUAL WHERE FALSE",
                    "UPDATE told SET a = 2",
                    "SET LAST_INSERT_ID = 7",
                    "SET TRANSACTION READ ONLY",
                    "SELECT SLEEP(0.001)")) {
                assertThat(isToldOf(connection, quiet)).as(quiet).isFalse();
            }
            for (String loud : List.of(
                    "SET sql_mode = 'ANSI_QUOTES'",
                    "SET sql_select_limit = 7",
                    "INSERT INTO told VALUES (1)",
                    "SELECT a, telling() FROM told",
                    "CALL tell()",
                    "SET @a = 1",
                    "PREPARE p FROM 'SELECT 1'",
                    "CREATE TEMPORARY TABLE seen (a INT)",
                    "SET NAMES latin1",
                    "SELECT shop.hushing()")) {
                assertThat(isToldOf(connection, loud)).as(loud).isTrue();
            }
        }
        try (Connection connection = DriverManager.getConnection(engine.jdbcUrl(), properties)) {
            assertThat(isToldOf(connection, "USE information_schema")).isTrue();
        }
    }

    /** Changes that the driver makes for the middleware do not count. */
    private boolean isToldOf(Connection connection, String sql) throws SQLException {
        dialect.sessions().beginUse(connection);
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        connection.setReadOnly(true);
        try (Statement statement = connection.createStatement()) {
            statement.setMaxRows(5);
            statement.execute("SELECT 1");
        }
        connection.commit();
        connection.setReadOnly(false);
        connection.setAutoCommit(true);
        assertThat(dialect.sessions().hasReportedChanges(connection))
                .as("before " + sql)
                .isFalse();
        run(connection, sql);
        return dialect.sessions().hasReportedChanges(connection);
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldMoveTheLastKeyFromSessionToSession(RunningEngine engine) throws SQLException {
        LastKeys keys = dialect.sessions().lastKeys().orElseThrow();
        try (Connection one = connect(engine);
                Connection other = connect(engine);
                Statement statement = one.createStatement()) {
            run(one, "DROP TABLE IF EXISTS k", "CREATE TABLE k (a BIGINT UNSIGNED AUTO_INCREMENT PRIMARY KEY, b INT)");
            statement.execute("INSERT INTO k VALUES (18446744073709551000, 1)");
            statement.execute("INSERT INTO k (b) VALUES (2)");
            assertThat(keys.mayHaveChanged(statement)).isTrue();
            String key = keys.take(one);
            assertThat(key).isEqualTo("18446744073709551001");
            keys.restore(other, key);
            assertThat(text(other, "SELECT LAST_INSERT_ID()")).isEqualTo(key);
            statement.execute("UPDATE k SET b = 3");
            assertThat(keys.mayHaveChanged(statement)).isFalse();
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldCancelTheStatementOfAConnection(RunningEngine engine) throws Exception {
        try (Connection connection = connect(engine)) {
            CompletableFuture<String> result = CompletableFuture.supplyAsync(() -> {
                try {
                    return text(connection, "SELECT SLEEP(30)");
                } catch (SQLException e) {
                    return "broken off: " + dialect.errors().hasTimedOut(e);
                }
            });
            await("the statement ends after a cancel")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> {
                        dialect.streaming()
                                .cancel(connection); // before the statement has begun there is nothing to cancel
                        return result.isDone();
                    });
            assertThat(result.join()).isIn("broken off: true", "1"); // SLEEP answers when it is interrupted
            assertThat(text(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldClassifyErrors(RunningEngine engine) throws Exception {
        try (Connection one = connect(engine);
                Connection other = connect(engine)) {
            run(
                    one,
                    "DROP TABLE IF EXISTS d",
                    "CREATE TABLE d (a INT PRIMARY KEY, b INT)",
                    "INSERT INTO d VALUES (1, 1), (2, 2)");
            assertThat(dialect.errors().afterError(failure(one, "INSERT INTO d VALUES (1, 1)")))
                    .isEqualTo(AfterError.GOES_ON);
            assertThat(dialect.errors().mayBeMissingOnSatellite(failure(one, "SELECT * FROM nowhere")))
                    .isTrue();
            assertThat(dialect.errors().mayBeMissingOnSatellite(failure(one, "SELECT nothing(1)")))
                    .isTrue();
            one.setAutoCommit(false);
            other.setAutoCommit(false);
            run(one, "UPDATE d SET b = 3 WHERE a = 1");
            run(other, "SET innodb_lock_wait_timeout = 1");
            assertThat(dialect.errors().hasTimedOut(failure(other, "UPDATE d SET b = 4 WHERE a = 1")))
                    .isTrue();
            assertThat(deadlock(one, other)).isEqualTo(AfterError.ROLLED_BACK);
            run(one, "KILL " + text(other, "SELECT CONNECTION_ID()"));
            assertThat(dialect.errors().isConnectionFailure(failure(other, "SELECT 1")))
                    .isTrue();
        }
    }

    private AfterError deadlock(Connection one, Connection other) throws Exception {
        one.rollback();
        other.rollback();
        run(other, "SET innodb_lock_wait_timeout = 50");
        run(one, "UPDATE d SET b = 5 WHERE a = 1");
        run(other, "UPDATE d SET b = 6 WHERE a = 2");
        CompletableFuture<SQLException> first =
                CompletableFuture.supplyAsync(() -> failureOrNone(one, "UPDATE d SET b = 7 WHERE a = 2"));
        SQLException second = failureOrNone(other, "UPDATE d SET b = 8 WHERE a = 1");
        SQLException victim = second.getErrorCode() != 0 ? second : first.get();
        one.rollback();
        other.rollback();
        return dialect.errors().afterError(victim);
    }

    private static SQLException failureOrNone(Connection connection, String sql) {
        try {
            run(connection, sql);
            connection.commit();
            return new SQLException("none");
        } catch (SQLException e) {
            return e;
        }
    }

    private static SQLException failure(Connection connection, String sql) {
        SQLException[] caught = new SQLException[1];
        assertThatThrownBy(() -> run(connection, sql))
                .isInstanceOfSatisfying(SQLException.class, failure -> caught[0] = failure);
        return caught[0];
    }

    /**
     * The answers belong to the requests, with and without compression. The driver discards the answers behind an
     * error: the connection is closed, unless none is behind it.
     */
    @ParameterizedTest(autoCloseArguments = false)
    @MethodSource("engines")
    void shouldJoinReads(RunningEngine engine) throws SQLException {
        for (boolean compressed : new boolean[] {false, true}) {
            Properties properties = new Properties();
            properties.setProperty("user", engine.user());
            properties.setProperty("password", engine.password());
            properties.setProperty("useCompression", String.valueOf(compressed));
            try (Connection connection = DriverManager.getConnection(engine.jdbcUrl(), properties)) {
                assertThat(joined(connection, "SELECT ? + 1, REPEAT('x', 3000)", 5))
                        .containsExactly(1, 2, 3, 4, 5);
                String failing = "SELECT 1 + (SELECT a.x FROM (SELECT 1 AS x UNION SELECT 2) a WHERE a.x <> 4 - ?)";
                assertThatThrownBy(() -> joined(connection, failing.replace("4 -", "0 *"), 1))
                        .hasMessageContaining("more than 1 row");
                assertThat(text(connection, "SELECT 'in step'")).isEqualTo("in step");
                SQLException lost = catchThrowableOfType(SQLException.class, () -> joined(connection, failing, 16));
                if (compressed) {
                    assertThat((Throwable) lost).hasMessageContaining("more than 1 row");
                    assertThat(text(connection, "SELECT 'in step'")).isEqualTo("in step");
                } else {
                    assertThat(dialect.errors().isConnectionFailure(lost)).isTrue();
                    assertThat(connection.isClosed()).isTrue();
                }
            }
        }
    }

    private List<Integer> joined(Connection connection, String sql, int executions) throws SQLException {
        List<Integer> found = new ArrayList<>();
        try (JoinedReads reads = dialect.streaming().joinReads(connection, sql, 1)) {
            for (int i = 0; i < executions; i++) {
                int value = i;
                reads.add((statement, first) -> statement.setInt(first, value));
            }
            reads.send();
            for (int i = 0; i < executions; i++) {
                try (ResultSet row = reads.next()) {
                    assertThat(row.next()).isTrue();
                    found.add(row.getInt(1));
                }
            }
            reads.finish();
        }
        return found;
    }
}
