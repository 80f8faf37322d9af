// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Checks DDL that masters of the family permit and PostgreSQL refuses, and the settings of the master that satellites
 * use.
 */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class MySqlRecoveryTest {
    private static final String WAITING =
            "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE 'ALTER TABLE %s%%' AND STATE LIKE 'Waiting for table metadata lock'";

    private static final String RUNNING = "SELECT ID FROM information_schema.PROCESSLIST WHERE INFO LIKE '%s%%'";

    private static TestCluster cluster;
    private static Copies copies;

    private final String engine;

    MySqlRecoveryTest(String engine) {
        this.engine = engine;
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.withSatellites(engine, 2).awaitOnline();
        cluster.run("CREATE TABLE log (what VARCHAR(50), n INT)");
        copies = Copies.of(cluster, "satellite-1", "satellite-2").mark();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static void directly(String... statements) throws SQLException {
        try (Connection direct = cluster.direct("master")) {
            Sql.run(direct, statements);
        }
    }

    @Test
    void shouldRefuseToStartWithBypassCapture() throws Exception {
        String model = "engine: %s%nshare-cores: true%nnodes:%n".formatted(engine)
                + "- {name: master, role: master}\n- {name: satellite-1, role: satellite}\n- {name: satellite-2, role: satellite}\n";
        cluster.middleware().close();
        assertThatThrownBy(() -> cluster.startMiddleware("bypass: capture\n" + model))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("bypass: capture is not possible with a master of engine " + engine)
                .hasMessageContaining("use bypass: refuse")
                .extracting("SQLState")
                .isEqualTo("0A000");
        cluster.startMiddleware(model);
        cluster.awaitOnline();
        cluster.run("INSERT INTO log VALUES ('refusing', 1)");
        copies.assertSame();
    }

    /** The engine has no triggers for DDL, so the middleware detects the change afterwards. */
    @Test
    void shouldSeedAgainWhenTablesAreChangedDirectly() throws Exception {
        cluster.run(
                "CREATE TABLE past (id INT PRIMARY KEY)",
                "CREATE TABLE past_gone (id INT PRIMARY KEY)",
                "INSERT INTO past VALUES (1)",
                "OPTIMIZE TABLE past",
                "INSERT INTO past VALUES (2)");
        copies.assertSame();
        directly("TRUNCATE TABLE past", "DROP TABLE past_gone", "ALTER TABLE past ADD COLUMN v INT");
        awaitNewCopies();
        cluster.run("INSERT INTO past VALUES (3, 3)");
        awaitSame();
        directly("DROP TABLE past", "CREATE TABLE past (id INT PRIMARY KEY, v INT)", "INSERT INTO past VALUES (9, 9)");
        awaitSame();
        cluster.middleware().close();
        directly("TRUNCATE TABLE past");
        cluster.startMiddleware();
        awaitNewCopies();
        cluster.run("INSERT INTO past VALUES (4, 4)");
        copies.mark().assertSame();
        cluster.run("DROP TABLE past");
    }

    /** An interrupted seeding leaves a satellite in this state. */
    @Test
    void shouldSeedASatelliteThatHasNoDatabase() throws Exception {
        try (Connection satellite = cluster.direct("satellite-1")) {
            Sql.run(satellite, "DROP DATABASE multimed", "DROP DATABASE shop");
        }
        cluster.run("INSERT INTO log VALUES ('seeded', 1)");
        awaitSame();
    }

    /** The numbers of the engine begin with the second of its start: two starts in one second repeat them. */
    @Test
    void shouldNotUseTheNumbersOfTransactionsFromBeforeARestart() throws Exception {
        cluster.run("CREATE TABLE numbered (id INT PRIMARY KEY, n INT)", "INSERT INTO numbered VALUES (1, 0)");
        cluster.middleware().close();
        try (Connection direct = cluster.direct("master")) {
            long first = Long.parseLong(Sql.text(direct, "SELECT UUID_SHORT()"));
            String change = "(%d, %d, 'R', 0, NULL, NULL)";
            Sql.run(
                    direct,
                    LongStream.range(first, first + 2000)
                            .mapToObj(n -> change.formatted(n, n + 1) + ", " + change.formatted(n, n + 2))
                            .collect(Collectors.joining(", ", "INSERT INTO multimed.captured VALUES ", "")));
        }
        cluster.startMiddleware();
        cluster.awaitOnline();
        for (int i = 0; i < 200; i++) {
            cluster.run("UPDATE numbered SET n = n + 1 WHERE id = 1");
        }
        copies.assertSame();
        directly("DELETE FROM multimed.captured WHERE relation = 0");
        cluster.run("DROP TABLE numbered");
    }

    /** A read during direct DDL finds no table; the wait ignores the error and compares again. */
    private static void awaitSame() {
        await("the satellites equal the master; see the state and trouble in the status")
                .atMost(Duration.ofSeconds(90))
                .ignoreExceptionsInstanceOf(SQLException.class)
                .untilAsserted(() -> copies.mark().assertSame());
    }

    /** Seeding removes what {@link Copies#mark} has left. */
    private static void awaitNewCopies() {
        for (String satellite : List.of("satellite-1", "satellite-2")) {
            await(satellite + " was seeded again; see its state and trouble in the status")
                    .atMost(Duration.ofSeconds(90))
                    .until(() -> {
                        try (Connection copy = cluster.direct(satellite)) {
                            return Sql.text(
                                            copy,
                                            "SELECT 1 FROM information_schema.TABLES WHERE TABLE_NAME = 'not_seeded'")
                                    == null;
                        }
                    });
        }
        cluster.awaitOnline();
    }

    private static void beginToUse(Connection client, String table) throws SQLException {
        client.setAutoCommit(false);
        Sql.run(client, "UPDATE " + table + " SET v = v + 1");
    }

    private static List<String> outcomes(String table) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("VERIFY MULTIMED SATELLITE \"satellite-1\"")) {
            List<String> outcomes = new ArrayList<>();
            while (rows.next()) {
                if (rows.getString("table_name").equals("shop." + table)) {
                    outcomes.add(rows.getString("outcome"));
                }
            }
            return outcomes;
        }
    }

    private static void awaitAnswerOfASatellite(String query, String answer) {
        await("a satellite gives the answer; see the state in the status")
                .atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertAnswer(query, answer));
    }

    /**
     * The statement fails, and so does the WriteSet that reports this to the satellites, because of the same
     * transaction.
     */
    @Test
    void shouldSendATableAgainAfterItsStatementFailed() throws Exception {
        cluster.run("CREATE TABLE taken (id INT PRIMARY KEY, v INT)", "INSERT INTO taken VALUES (1, 1)");
        try (Connection user = cluster.connect();
                Connection changer = cluster.connect()) {
            beginToUse(user, "taken");
            Sql.run(changer, "SET lock_wait_timeout = 1", "SET innodb_lock_wait_timeout = 1");
            assertThatThrownBy(() -> Sql.run(changer, "ALTER TABLE taken ADD COLUMN w INT"))
                    .isInstanceOf(SQLException.class)
                    .extracting("errorCode")
                    .isEqualTo(1205);
            assertThat(outcomes("taken")).containsExactly("absent");
            user.commit();
            awaitAnswerOfASatellite("SELECT v FROM taken WHERE id = 1", "2");
            assertThat(outcomes("taken")).containsExactly("equal");
            Sql.run(changer, "ALTER TABLE taken ADD COLUMN w INT DEFAULT 7", "INSERT INTO taken VALUES (2, 2, 2)");
        }
        assertAnswer("SELECT SUM(w) FROM taken", "9");
        copies.assertSame();
    }

    @Test
    void shouldRestoreATableWhenTheConnectionOfItsDdlBreaks() throws Exception {
        cluster.run("CREATE TABLE broken (id INT PRIMARY KEY, v INT)", "INSERT INTO broken VALUES (1, 1)");
        try (Connection user = cluster.connect();
                Connection changer = cluster.connect()) {
            beginToUse(user, "broken");
            Future<SQLException> failure = Executors.newSingleThreadExecutor()
                    .submit(() -> catchThrowableOfType(
                            SQLException.class,
                            () -> Sql.run(changer, "ALTER TABLE broken ADD COLUMN w INT DEFAULT 7")));
            try (Connection direct = cluster.direct("master")) {
                String waiting = WAITING.formatted("broken");
                await("the ALTER TABLE waits on the master; see: " + waiting)
                        .atMost(Duration.ofMinutes(1))
                        .until(() -> Sql.text(direct, waiting) != null);
                Sql.run(direct, "KILL " + Sql.text(direct, waiting));
            }
            assertThat(failure.get().getSQLState()).isEqualTo("08007");
            user.commit();
        }
        awaitAnswerOfASatellite("SELECT v FROM broken WHERE id = 1", "2");
        assertThat(outcomes("broken")).containsExactly("equal");
        copies.assertSame();
    }

    /** A commit without changes, and the next commit of the same connection, are read from the master. */
    @Test
    void shouldApplyEachChangeOnceWhenASatelliteCatchesUp() throws Exception {
        cluster.run("CREATE TABLE once (n INT)", "CREATE TABLE once_held (n INT)");
        cluster.awaitApplied();
        try (Connection client = cluster.connect();
                Connection satellite = cluster.direct("satellite-1")) {
            Sql.run(satellite, "LOCK TABLES once_held READ");
            Sql.run(
                    client,
                    "SET @pinned = 1",
                    "INSERT INTO once_held VALUES (1)",
                    "UPDATE once SET n = 2 WHERE n = 1",
                    "INSERT INTO once VALUES (3)");
            cluster.middleware().close();
        }
        cluster.startMiddleware();
        cluster.awaitOnline();
        copies.assertSame();
    }

    /** MariaDB can lose the file that names the table of a trigger; then the trigger cannot be dropped. */
    @Test
    void shouldSendATableWhoseTriggerTheEngineCannotDrop() throws Exception {
        assumeTrue(engine.equals("mariadb"), "only MariaDB has files for triggers");
        cluster.run("CREATE TABLE orphan (id INT PRIMARY KEY)", "INSERT INTO orphan VALUES (1)");
        String trigger;
        String folder;
        try (Connection direct = cluster.direct("master")) {
            trigger = Sql.text(
                    direct,
                    "SELECT TRIGGER_NAME FROM information_schema.TRIGGERS WHERE EVENT_OBJECT_TABLE = 'orphan' LIMIT 1");
            folder = Sql.text(direct, "SELECT CONCAT(@@datadir, DATABASE())");
        }
        Files.delete(Path.of(folder, trigger + ".TRN"));
        cluster.run(
                "ALTER TABLE orphan ADD COLUMN v INT",
                "INSERT INTO orphan VALUES (2, 2)",
                "DELETE FROM orphan WHERE id = 1");
        cluster.awaitApplied();
        assertThat(outcomes("orphan")).containsExactly("equal");
        cluster.run("DROP TABLE orphan");
    }

    /**
     * Two tables have exchanged their names. The first table is seeded again while the second table still has its
     * triggers and a statement of another client is about to change the second table.
     */
    @Test
    void shouldIgnoreRowsOfARenamedTableThatSatellitesLack() throws Exception {
        cluster.run(
                "CREATE TABLE one_name (id INT PRIMARY KEY)",
                "CREATE TABLE other_name (id INT PRIMARY KEY, v INT)",
                "INSERT INTO other_name VALUES (1, 1)");
        copies.mark();
        try (Connection direct = cluster.direct("master")) {
            Sql.run(direct, "INSERT INTO multimed.changing VALUES ('one_name', -2, FALSE)");
            cluster.run(
                    "RENAME TABLE one_name TO between_names, other_name TO one_name, between_names TO other_name",
                    "INSERT INTO one_name VALUES (2, 2)");
            cluster.awaitApplied();
            assertThat(outcomes("one_name")).containsExactly("absent");
            assertThat(outcomes("other_name")).containsExactly("equal");
            Sql.run(direct, "DELETE FROM multimed.changing WHERE statement = -2");
        }
        cluster.run("ALTER TABLE one_name ADD COLUMN w INT", "INSERT INTO one_name VALUES (3, 3, 3)");
        copies.assertSame();
        cluster.run("DROP TABLE one_name, other_name");
    }

    /** The first change is being sent to the satellites when the second client's statement runs. */
    @Test
    void shouldSendASecondClientsChangeOfTheSameTable() throws Exception {
        cluster.run("CREATE TABLE twice (id INT PRIMARY KEY, v INT)", "INSERT INTO twice VALUES (1, 1), (2, 2)");
        changeTwice(
                "twice",
                "ALTER TABLE twice ADD COLUMN w INT",
                "TRUNCATE TABLE twice",
                "identity WHERE name = 'twice'",
                RUNNING.formatted("TRUNCATE TABLE twice"));
        assertAnswer("SELECT COUNT(*) FROM twice", "0");
        assertThat(outcomes("twice")).containsExactly("equal");
        cluster.run("INSERT INTO twice VALUES (1, 1, 1)");
        assertAnswer("SELECT w FROM twice", "1");
        copies.assertSame();
    }

    @Test
    void shouldSendASecondClientsChangeOfTheSameView() throws Exception {
        cluster.run(
                "CREATE TABLE seen (id INT PRIMARY KEY)", "CREATE OR REPLACE VIEW seen_twice AS SELECT id FROM seen");
        assertAnswer("SELECT COUNT(*) FROM seen_twice", "0");
        changeTwice(
                "seen_twice",
                "CREATE OR REPLACE VIEW seen_twice AS SELECT id, id + 1 AS n FROM seen",
                "DROP VIEW seen_twice",
                "intent",
                "SELECT 1 FROM DUAL WHERE EXISTS (%s) OR NOT EXISTS (SELECT 1 FROM information_schema.VIEWS WHERE TABLE_NAME = 'seen_twice')"
                        .formatted(RUNNING.formatted("INSERT INTO multimed.changing")));
        cluster.awaitApplied();
        try (Connection satellite = cluster.direct("satellite-1")) {
            assertThatThrownBy(() -> Sql.run(satellite, "SELECT id FROM seen_twice"))
                    .extracting("SQLState")
                    .isEqualTo("42S02");
        }
    }

    /**
     * @param table the table or view that both statements change
     * @param held rows in the tables of Multimed that the first change needs at its end
     * @param begun a query that has a row when the second statement is under way
     */
    private static void changeTwice(String table, String first, String second, String held, String begun)
            throws Exception {
        ExecutorService clients = Executors.newCachedThreadPool();
        try (Connection user = cluster.connect();
                Connection one = cluster.connect();
                Connection other = cluster.connect();
                Connection direct = cluster.direct("master")) {
            user.setAutoCommit(false);
            Sql.run(user, "INSERT INTO log VALUES ('twice', 1)", "SELECT * FROM " + table);
            Future<?> changed = clients.submit(() -> run(one, first));
            await("the first change runs on the master; see its process list")
                    .until(() -> Sql.text(direct, RUNNING.formatted(first)) != null);
            direct.setAutoCommit(false);
            direct.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED); // locks no gaps
            Sql.run(direct, "SELECT * FROM multimed." + held + " FOR UPDATE");
            user.commit();
            String waiting = "DELETE FROM multimed." + held.replaceFirst(" .*", "");
            await("the first change waits for the locked row; see the process list of the master")
                    .until(() -> Sql.text(direct, RUNNING.formatted(waiting)) != null);
            Future<?> changedAgain = clients.submit(() -> run(other, second));
            await("the second change has begun; see: " + begun).until(() -> Sql.text(direct, begun) != null);
            direct.rollback();
            changed.get();
            changedAgain.get();
        } finally {
            clients.shutdownNow();
        }
    }

    private static Void run(Connection connection, String statement) throws SQLException {
        Sql.run(connection, statement);
        return null;
    }

    /** A table that cannot be replicated is reported, but is not an error. */
    @Test
    void shouldReportTheTablesThatSatellitesLack() throws Exception {
        cluster.run("CREATE TABLE whole (id INT PRIMARY KEY)");
        assertThatThrownBy(
                        () -> cluster.run(
                                "CREATE TABLE part (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES whole (id) ON DELETE CASCADE)"))
                .extracting("SQLState")
                .isEqualTo("0A000");
        assertThat(outcomes("whole")).containsExactly("equal");
        assertThat(outcomes("part")).containsExactly("master only");
        cluster.run("DROP TABLE part", "DROP TABLE whole");
    }

    /** Represents a master that Multimed did not start, and a setting that changes between two starts. */
    @Test
    void shouldUseTheSqlModeOfTheMasterOnSatellites() throws Exception {
        cluster.run("INSERT INTO log VALUES ('mode', 1)");
        String question = "SELECT what || '!' FROM log WHERE what = 'mode'";
        setOnMaster("SET @before = @@GLOBAL.sql_mode", "SET GLOBAL sql_mode = CONCAT(@before, ',PIPES_AS_CONCAT')");
        assertAnswer(question, "mode!");
        setOnMaster("SET GLOBAL sql_mode = REPLACE(@@GLOBAL.sql_mode, 'PIPES_AS_CONCAT', '')");
        assertAnswer(question, "0");
        copies.mark().assertSame();
    }

    private static void setOnMaster(String... statements) throws Exception {
        directly(statements);
        cluster.restartMiddleware();
        cluster.awaitOnline();
    }

    private static void assertAnswer(String question, String answer) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(Sql.text(connection, question)).isEqualTo(answer);
            assertThat(Sql.node(connection)).startsWith("satellite");
        }
    }
}
