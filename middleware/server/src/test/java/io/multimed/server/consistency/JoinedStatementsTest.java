// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** Statements of several clients that the engine receives in one message behave as if each were sent alone. */
@Tag("exhaustive")
@Timeout(600)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class JoinedStatementsTest {
    private static final String SHARING = "multimed.test.sharing";
    private static final int CLIENTS = 16;
    private static final int ROUNDS = 15;

    /** Rounds of BENCHMARK that take longer than a commit group waits. */
    private static final int SLOW_ROUNDS = 2_000_000;

    /** Values that would end a statement, or hide the next one, if they were not quoted correctly. */
    private static final List<String> VALUES = List.of(
            "plain",
            "it's",
            "''",
            "'; DELETE FROM note; -- ",
            "\"; DELETE FROM note; # ",
            "a\\",
            "\\'; DELETE FROM note; -- ",
            "/* open",
            "*/ close",
            "-- comment",
            "# comment",
            "`name`",
            "line\nbreak\r\0end",
            "größer €\uD83D\uDE00",
            "?",
            "{fn now()}");

    /** Counts the transactions that wait for a lock. */
    private static final String WAITING =
            "SELECT COUNT(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";

    private static TestCluster cluster;

    /** @param engine of all nodes */
    JoinedStatementsTest(String engine) {
        assertThat(engine).isNotEmpty();
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        System.setProperty(SHARING, "always");
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        System.clearProperty(SHARING);
        cluster.close();
    }

    /** One client's part of a test. */
    private interface Client {
        void run(Connection connection, int client) throws SQLException;
    }

    private static void inParallel(Client work) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int client = i;
                running.add(threads.submit(() -> {
                    try (Connection connection = cluster.connect()) {
                        work.run(connection, client);
                    }
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get(300, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    private static @Nullable String onSatellite(String query) throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            String answer = text(connection, query);
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).startsWith("satellite");
            return answer;
        }
    }

    @Test
    void shouldStoreExactlyTheValuesOfEachClient() throws Exception {
        cluster.run("CREATE TABLE note (id int PRIMARY KEY, body varchar(200) NOT NULL) CHARACTER SET utf8mb4");
        inParallel((connection, client) -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO note VALUES (?, ?)");
                    PreparedStatement read = connection.prepareStatement("SELECT body FROM note WHERE id = ?")) {
                for (int i = 0; i < ROUNDS; i++) {
                    int id = client * 1_000 + i;
                    String value = VALUES.get((client + i) % VALUES.size());
                    insert.setInt(1, id);
                    insert.setString(2, value);
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                    read.setInt(1, id);
                    try (ResultSet row = read.executeQuery()) {
                        assertThat(row.next()).isTrue();
                        assertThat(row.getString(1)).isEqualTo(value);
                    }
                }
            }
        });
        assertThat(cluster.onMaster("SELECT COUNT(*) FROM note")).isEqualTo(String.valueOf(CLIENTS * ROUNDS));
    }

    /** Each client has a text of its own, some of which end with a comment or contain quotes. */
    @Test
    void shouldRunTextsOfAllKindsBesideEachOther() throws Exception {
        cluster.run(
                "CREATE TABLE tally (id int PRIMARY KEY, n int NOT NULL, s varchar(50))",
                "INSERT INTO tally VALUES (0,0,''),(1,0,''),(2,0,''),(3,0,''),(4,0,''),(5,0,''),(6,0,''),(7,0,'')");
        List<String> texts = List.of(
                "UPDATE tally SET n = n + 1 WHERE id = ?",
                "UPDATE tally SET n = n + 1 WHERE id = ? -- trailing",
                "UPDATE tally SET n = n + 1 WHERE id = ? # trailing",
                "UPDATE tally SET n = n + 1 /* within */ WHERE id = ?",
                "UPDATE `tally` SET s = 'it''s', n = n + 1 WHERE id = ?",
                "UPDATE tally SET s = 'a\\\\', n = n + 1 WHERE id = ?",
                "UPDATE tally SET s = \"-- /* x\", n = n + 1 WHERE id = ?",
                "UPDATE tally SET n = n + 1 WHERE id = ? AND n >= 0 - -1 - 1");
        inParallel((connection, client) -> {
            int kind = client % texts.size();
            try (PreparedStatement update = connection.prepareStatement(texts.get(kind))) {
                for (int i = 0; i < ROUNDS; i++) {
                    update.setInt(1, kind);
                    assertThat(update.executeUpdate()).isEqualTo(1);
                    update.setInt(1, 100);
                    assertThat(update.executeUpdate()).isZero();
                }
            }
        });
        assertThat(cluster.onMaster("SELECT GROUP_CONCAT(n ORDER BY id) FROM tally"))
                .isEqualTo("30,30,30,30,30,30,30,30");
        assertThat(cluster.onMaster("SELECT s FROM tally WHERE id = 6")).isEqualTo("-- /* x");
    }

    @Test
    void shouldReportToEachClientItsOwnErrorOrNumberOfRows() throws Exception {
        cluster.run("CREATE TABLE seat (id int PRIMARY KEY, taken int NOT NULL)");
        for (int client = 0; client < CLIENTS; client++) { // an UPDATE also locks the row behind its range
            cluster.run("INSERT INTO seat VALUES (%d, 0)".formatted(client * 100 + 99));
        }
        inParallel((connection, client) -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO seat VALUES (?, 1)");
                    PreparedStatement update =
                            connection.prepareStatement("UPDATE seat SET taken = taken + 1 WHERE id BETWEEN ? AND ?")) {
                int first = client * 100;
                for (int i = 0; i < ROUNDS; i++) {
                    insert.setInt(1, first + i);
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                    assertThatThrownBy(insert::executeUpdate)
                            .isInstanceOf(SQLIntegrityConstraintViolationException.class)
                            .hasMessageContaining("'" + (first + i) + "'");
                    update.setInt(1, first);
                    update.setInt(2, first + 98);
                    assertThat(update.executeUpdate()).isEqualTo(i + 1);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT SUM(taken) FROM seat"))
                .isEqualTo(String.valueOf(CLIENTS * (ROUNDS + ROUNDS * (ROUNDS + 1) / 2)));
    }

    /** A key that a client supplies is reported by the engine, but is not the client's last generated key. */
    @Test
    void shouldKeepTheGeneratedKeysOfClientsApart() throws Exception {
        cluster.run("CREATE TABLE ticket (id int AUTO_INCREMENT PRIMARY KEY, v int)");
        Set<String> keys = ConcurrentHashMap.newKeySet();
        inParallel((connection, client) -> {
            boolean supplies = client % 2 == 0;
            String sql = supplies ? "INSERT INTO ticket (v, id) VALUES (?, ?)" : "INSERT INTO ticket (v) VALUES (?)";
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                for (int i = 0; i < ROUNDS; i++) {
                    insert.setInt(1, client);
                    if (supplies) {
                        insert.setInt(2, 1_000_000 + client * 1_000 - i);
                    }
                    insert.executeUpdate();
                    String key = text(connection, "SELECT LAST_INSERT_ID()");
                    if (supplies) {
                        assertThat(key).isEqualTo("0");
                    } else {
                        assertThat(keys.add(key)).isTrue();
                        assertThat(text(connection, "SELECT v FROM ticket WHERE id = " + key))
                                .isEqualTo(String.valueOf(client));
                    }
                }
            }
        });
    }

    /** The engine keeps the key of a row that it has undone. */
    @Test
    void shouldNotPassOnTheKeyOfAnInsertThatHasFailed() throws Exception {
        cluster.run(
                "CREATE TABLE voucher (id int AUTO_INCREMENT PRIMARY KEY, n int UNIQUE)",
                "INSERT INTO voucher (n) VALUES (-1)",
                "CREATE TABLE supplied (id int AUTO_INCREMENT PRIMARY KEY, n int NOT NULL)");
        inParallel((connection, client) -> {
            try (PreparedStatement fails = connection.prepareStatement("INSERT INTO voucher (n) VALUES (?), (-1)");
                    PreparedStatement supplies = connection.prepareStatement("INSERT INTO supplied VALUES (?, 1)")) {
                for (int round = 0; round < 4 * ROUNDS; round++) {
                    int number = 1_000 * client + round + 1;
                    if (client % 2 == 0) {
                        fails.setInt(1, number);
                        assertThatThrownBy(fails::executeUpdate)
                                .isInstanceOf(SQLIntegrityConstraintViolationException.class);
                    } else {
                        supplies.setInt(1, number);
                        supplies.executeUpdate();
                        assertThat(text(connection, "SELECT LAST_INSERT_ID()")).isEqualTo("0");
                    }
                }
            }
        });
    }

    /** The same outside of groups, where a statement has the connection for itself. */
    @Test
    void shouldNotLeaveTheKeyOfAnInsertThatHasFailedInAPooledSession() throws SQLException {
        cluster.run(
                "CREATE TABLE receipt (id int AUTO_INCREMENT PRIMARY KEY, n int UNIQUE)",
                "INSERT INTO receipt (n) VALUES (-1)",
                "CREATE TABLE numbered (id int AUTO_INCREMENT PRIMARY KEY, n int NOT NULL)");
        try (Connection failing = cluster.connect();
                Statement fails = failing.createStatement();
                Connection other = cluster.connect();
                Statement supplies = other.createStatement()) {
            for (int round = 1; round <= 2 * ROUNDS; round++) {
                failing.setAutoCommit(round % 2 == 0);
                int number = round;
                assertThatThrownBy(() ->
                                fails.executeUpdate("INSERT INTO receipt (n) VALUES (%d), (-1)".formatted(number)))
                        .isInstanceOf(SQLIntegrityConstraintViolationException.class);
                if (round % 2 != 0) {
                    failing.commit();
                }
                supplies.executeUpdate("INSERT INTO numbered VALUES (%d, 1)".formatted(number));
                assertThat(text(other, "SELECT LAST_INSERT_ID()")).isEqualTo("0");
            }
        }
    }

    /** The session of a satellite says nothing of the client's key. */
    @Test
    void shouldRememberItsKeyAfterAReadHasFailedOnASatellite() throws SQLException {
        cluster.run("CREATE TABLE kept_key (id int AUTO_INCREMENT PRIMARY KEY, n int) AUTO_INCREMENT = 70");
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate("INSERT INTO kept_key (n) VALUES (1), (2)");
            connection.setReadOnly(true);
            assertThatThrownBy(() -> statement.executeQuery("SELECT (SELECT n FROM kept_key) AS one"))
                    .isInstanceOf(SQLException.class);
            assertThat(connection.unwrap(MultimedConnection.class).lastNode()).startsWith("satellite");
            connection.setReadOnly(false);
            assertThat(text(connection, "SELECT LAST_INSERT_ID()")).isEqualTo("70");
        }
    }

    @Test
    void shouldKnowTheKeyOfATextThatGeneratedNoneBefore() throws SQLException {
        cluster.run(
                "CREATE TABLE copied (id int AUTO_INCREMENT PRIMARY KEY, n int) AUTO_INCREMENT = 500",
                "CREATE TABLE original (n int PRIMARY KEY)");
        try (Connection connection = cluster.connect();
                Connection other = cluster.connect();
                PreparedStatement copy =
                        connection.prepareStatement("INSERT INTO copied (n) SELECT n FROM original WHERE n = ?");
                PreparedStatement change = other.prepareStatement("UPDATE original SET n = n + ?")) {
            copy.setInt(1, 1);
            for (int i = 0; i < 20; i++) { // until the text is not expected to generate a key
                assertThat(copy.executeUpdate()).isZero();
            }
            cluster.run("INSERT INTO original VALUES (1)");
            assertThat(copy.executeUpdate()).isEqualTo(1);
            assertThat(text(connection, "SELECT LAST_INSERT_ID()"))
                    .isEqualTo(text(connection, "SELECT MAX(id) FROM copied"));
            change.setInt(1, 1);
            assertThat(change.executeUpdate()).isEqualTo(1);
            assertThat(text(other, "SELECT LAST_INSERT_ID()")).isEqualTo("0");
        }
    }

    /** In auto-commit mode of JDBC, the client has begun a transaction by SQL. */
    @Test
    void shouldReportTheDeadlockOfATransactionThatSqlHasBegun() throws Exception {
        for (String begin : List.of("BEGIN", "START TRANSACTION", "SET autocommit = 0")) {
            cluster.run(
                    "CREATE TABLE IF NOT EXISTS account (id int PRIMARY KEY, n int NOT NULL)",
                    "DELETE FROM account",
                    "INSERT INTO account VALUES (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0)");
            ExecutorService thread = Executors.newSingleThreadExecutor();
            try (Connection victim = cluster.connect();
                    Connection other = cluster.connect();
                    Statement sql = victim.createStatement();
                    Statement more = other.createStatement();
                    PreparedStatement update = victim.prepareStatement("UPDATE account SET n = n + 1 WHERE id = ?")) {
                sql.execute(begin);
                update.setInt(1, 1);
                update.executeUpdate();
                other.setAutoCommit(false);
                more.executeUpdate("UPDATE account SET n = n + 10 WHERE id > 1"); // the engine prefers smaller victims
                update.setInt(1, 2);
                Future<Integer> waits = thread.submit(() -> update.executeUpdate());
                await().until(() -> "1".equals(cluster.onMaster(WAITING)));
                more.executeUpdate("UPDATE account SET n = n + 10 WHERE id = 1");
                other.commit();
                assertThatThrownBy(waits::get)
                        .as(begin)
                        .rootCause()
                        .extracting("SQLState")
                        .isEqualTo("40001");
                sql.execute("ROLLBACK");
            } finally {
                thread.shutdownNow();
            }
            assertThat(cluster.onMaster("SELECT SUM(n) FROM account")).as(begin).isEqualTo("60");
        }
    }

    @Test
    void shouldReportWarningsToTheClientThatCausedThem() throws Exception {
        cluster.run("CREATE TABLE once (id int PRIMARY KEY)", "INSERT INTO once VALUES (1)");
        inParallel((connection, client) -> {
            boolean again = client % 2 == 0;
            String sql = again ? "INSERT IGNORE INTO once VALUES (?)" : "INSERT INTO once VALUES (?)";
            try (PreparedStatement insert = connection.prepareStatement(sql)) {
                for (int i = 0; i < ROUNDS; i++) {
                    insert.setInt(1, again ? 1 : 100 + client * 1_000 + i);
                    assertThat(insert.executeUpdate()).isEqualTo(again ? 0 : 1);
                    String warning = String.valueOf((Object) insert.getWarnings());
                    assertThat(warning).contains(again ? "Duplicate entry '1'" : "null");
                }
            }
        });
    }

    /** A trigger changes the session, which ends the message: all statements take effect exactly once. */
    @Test
    void shouldTakeEffectOnceBesideATriggerThatChangesTheSession() throws Exception {
        cluster.run(
                "CREATE TABLE source (id int AUTO_INCREMENT PRIMARY KEY, secret int)",
                "CREATE TABLE sink (id int AUTO_INCREMENT PRIMARY KEY, client int)",
                "CREATE TRIGGER remember BEFORE INSERT ON source FOR EACH ROW SET @secret = NEW.secret");
        inParallel((connection, client) -> {
            String table = client % 4 == 0 ? "source (secret)" : "sink (client)";
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO %s VALUES (?)".formatted(table))) {
                for (int i = 0; i < ROUNDS; i++) {
                    insert.setInt(1, client);
                    assertThat(insert.executeUpdate()).isEqualTo(1);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT COUNT(*) FROM source")).isEqualTo(String.valueOf(CLIENTS / 4 * ROUNDS));
        assertThat(cluster.onMaster("SELECT COUNT(*) FROM sink")).isEqualTo(String.valueOf(CLIENTS / 4 * 3 * ROUNDS));
    }

    /**
     * Some statements delay their message so much that they are canceled. The engine may then report success and no row
     * for the statement that it has interrupted, or send no answer to those behind it.
     */
    @Test
    void shouldRepeatTheStatementsOfAMessageThatIsCanceled() throws Exception {
        cluster.run("CREATE TABLE goal (id int PRIMARY KEY, n int NOT NULL)");
        for (int client = 0; client < CLIENTS; client++) {
            cluster.run("INSERT INTO goal VALUES (%d, 0)".formatted(client));
        }
        inParallel((connection, client) -> {
            String text = client % 4 == 0
                    ? "UPDATE goal SET n = n + 1 WHERE id = BENCHMARK(?, CRC32('a')) + ?"
                    : "UPDATE goal SET n = n + 1 WHERE id = ? * 0 + ?";
            try (PreparedStatement update = connection.prepareStatement(text)) {
                for (int i = 0; i < ROUNDS; i++) {
                    update.setInt(1, i % 5 == client % 5 ? SLOW_ROUNDS : 1);
                    update.setInt(2, client);
                    assertThat(update.executeUpdate()).isEqualTo(1);
                }
            }
        });
        assertThat(cluster.onMaster("SELECT COUNT(*) FROM goal WHERE n <> " + ROUNDS))
                .isEqualTo("0");
        assertThat(onSatellite("SELECT COUNT(*) FROM goal WHERE n <> " + ROUNDS))
                .isEqualTo("0");
    }

    /** The statement of a client that is alone is sealed and committed in the message that contains it. */
    @Test
    void shouldReportEverythingToTheOnlyClient() throws Exception {
        cluster.run("CREATE TABLE sole (id int AUTO_INCREMENT PRIMARY KEY, n int NOT NULL, UNIQUE (n))");
        try (Connection connection = cluster.connect();
                PreparedStatement insert = connection.prepareStatement("INSERT INTO sole (n) VALUES (?)");
                PreparedStatement ignore = connection.prepareStatement("INSERT IGNORE INTO sole (n) VALUES (?)");
                PreparedStatement update = connection.prepareStatement("UPDATE sole SET n = n + ? WHERE n = ?")) {
            for (int i = 0; i < ROUNDS; i++) {
                insert.setInt(1, i);
                assertThat(insert.executeUpdate()).isEqualTo(1);
                assertThat(text(connection, "SELECT n FROM sole WHERE id = LAST_INSERT_ID()"))
                        .isEqualTo(String.valueOf(i));
                assertThatThrownBy(insert::executeUpdate).isInstanceOf(SQLIntegrityConstraintViolationException.class);
                ignore.setInt(1, i);
                assertThat(ignore.executeUpdate()).isZero();
                assertThat(String.valueOf((Object) ignore.getWarnings())).contains("Duplicate entry");
                update.setInt(1, 1_000);
                update.setInt(2, i);
                assertThat(update.executeUpdate()).isEqualTo(1);
                assertThat((Object) update.getWarnings()).isNull();
                assertThat(update.executeUpdate()).isZero();
                update.setInt(1, 0);
                update.setInt(2, i + 1_000);
                assertThat(update.executeUpdate()).isEqualTo(1); // the row that it has found, and not changed
            }
        }
        String sums = "SELECT CONCAT(COUNT(*), ' ', SUM(n)) FROM sole";
        String expected = ROUNDS + " " + (ROUNDS * 1_000 + ROUNDS * (ROUNDS - 1) / 2);
        assertThat(cluster.onMaster(sums)).isEqualTo(expected);
        assertThat(onSatellite(sums)).isEqualTo(expected);
    }

    @Test
    void shouldSealTheStatementOfTheOnlyClientInItsMessage() throws Exception {
        cluster.run("CREATE TABLE few (id int PRIMARY KEY, n int NOT NULL)", "INSERT INTO few VALUES (1, 0)");
        int updates = 0;
        try (Connection direct = cluster.direct("master");
                Statement log = direct.createStatement();
                Connection connection = cluster.connect();
                PreparedStatement update = connection.prepareStatement("UPDATE few SET n = n + 1 WHERE id = ?")) {
            log.execute("SET GLOBAL log_output = 'TABLE'");
            log.execute("SET GLOBAL general_log = ON");
            update.setInt(1, 1);
            // one engine logs each statement of a message by itself
            String sealed = "SELECT COUNT(*) >= 10 FROM mysql.general_log WHERE argument LIKE '%;CALL multimed.seal%'"
                    + " OR argument LIKE 'CALL multimed.seal\\_statement%'";
            while ("0".equals(text(direct, sealed))) { // on a busy machine some executions exceed the time limit
                assertThat(update.executeUpdate()).isEqualTo(1);
                updates++;
            }
            log.execute("SET GLOBAL general_log = OFF");
        }
        assertThat(onSatellite("SELECT n FROM few")).isEqualTo(String.valueOf(updates));
    }
}
