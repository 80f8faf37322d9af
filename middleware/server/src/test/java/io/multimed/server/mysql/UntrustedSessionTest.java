// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.mysql;

import static io.multimed.engine.conformance.Sql.rows;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients may change the engine's session in any way: their changes reach the satellites, completely and in order, and
 * the middleware still recognizes its connections.
 */
@Tag("slow")
@Timeout(300)
@ParameterizedClass
@EachEngine({"mariadb", "mysql"})
class UntrustedSessionTest extends SmallPoolTest {
    /** @param engine of all nodes */
    UntrustedSessionTest(String engine) {
        assertThat(cluster.engine("master").node().engine()).isEqualTo(engine);
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(
                engine,
                2,
                "CREATE TABLE item (id INT PRIMARY KEY, v INT NOT NULL)",
                "CREATE TABLE tattle (id INT PRIMARY KEY AUTO_INCREMENT, v INT)",
                "CREATE TRIGGER leaky BEFORE INSERT ON tattle FOR EACH ROW SET sql_mode = 'ANSI_QUOTES', @leak = 1",
                "CREATE PROCEDURE unreadable() SET character_set_results = utf16",
                "CREATE FUNCTION unreadable_key() RETURNS INT NO SQL BEGIN SET character_set_results = utf16; RETURN 77; END",
                "CREATE FUNCTION leak() RETURNS INT NO SQL BEGIN SET sql_mode = 'ANSI_QUOTES', @leak = 1; RETURN 1; END",
                """
                CREATE PROCEDURE leaks() BEGIN
                    CREATE TEMPORARY TABLE scratch (a INT);
                    DO GET_LOCK('leak', 0);
                    SET sql_mode = 'ANSI_QUOTES', innodb_lock_wait_timeout = 7, foreign_key_checks = 0;
                END""");
    }

    @BeforeEach
    void fill() throws SQLException {
        cluster.run("REPLACE INTO item VALUES (1, 0), (2, 0), (3, 0)");
    }

    private static void assertSame(String... expected) throws SQLException {
        cluster.awaitApplied();
        for (String node : new String[] {"master", "satellite"}) {
            try (Connection direct = cluster.direct(node)) {
                assertThat(rows(direct, "SELECT * FROM item")).as(node).containsExactly(expected);
            }
        }
    }

    /** The last name is the same as the first to the engine. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT @multimed_changes := 0, @multimed_transaction := 7",
                "SELECT 0, 7 INTO @multimed_changes, @`multimed_transaction`",
                "SELECT @'multimed_changes' := -5, @\"multimed_transaction\" := NULL",
                "SELECT @m\u00faltimed_changes := 0, @m\u00faltimed_transaction := 7"
            })
    void shouldDeliverChangesRegardlessOfVariables(String sql) throws Exception {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "UPDATE item SET v = 1 WHERE id = 1", sql, "UPDATE item SET v = 2 WHERE id = 1", sql);
            run(connection, "UPDATE item SET v = 3 WHERE id = 2", sql);
            connection.commit();
            run(connection, "UPDATE item SET v = 4 WHERE id = 3");
            connection.commit();
        }
        assertSame("1|2", "2|3", "3|4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "USE multimed",
                "DELETE FROM multimed.captured",
                "ANALYZE DELETE FROM multimed.captured",
                "UPDATE multimed.`session` SET transaction_id = 0",
                "CREATE PROCEDURE reach() DELETE FROM multimed.captured",
                "PREPARE reach FROM 'DELETE FROM multimed.captured'",
                "CALL multimed.seal(1, 1, TRUE)",
                "KILL 1"
            })
    void shouldRefuseStatementsThatNameMultimedsTables(String sql) throws Exception {
        try (Connection connection = cluster.connect()) {
            connection.setAutoCommit(false);
            run(connection, "UPDATE item SET v = 1 WHERE id = 1");
            assertThatThrownBy(() -> run(connection, sql))
                    .isInstanceOf(SQLException.class)
                    .extracting("SQLState")
                    .isEqualTo("0A000");
            connection.commit();
        }
        assertSame("1|1", "2|0", "3|0");
    }

    /** A connection of a middleware that has ended, with an open transaction. */
    @Test
    void shouldEndSessionsOfAnEarlierMiddlewareThatHaveReleasedAllLocks() throws Exception {
        cluster.middleware().close();
        try (Connection left = cluster.direct("master")) {
            run(left, "CALL multimed.admit(" + text(left, "SELECT epoch FROM multimed.base") + ")");
            left.setAutoCommit(false);
            run(left, "UPDATE item SET v = 9 WHERE id = 1", "DO RELEASE_ALL_LOCKS()");
            cluster.startMiddleware();
            assertThatThrownBy(left::commit).isInstanceOf(SQLException.class);
        }
        cluster.awaitOnline();
        assertSame("1|0", "2|0", "3|0");
        try (Connection direct = cluster.direct("master")) {
            assertThat(text(direct, """
                            SELECT COUNT(*) FROM multimed.session
                            WHERE connection NOT IN (SELECT ID FROM information_schema.PROCESSLIST)""")).isEqualTo("0");
        }
    }

    /** The engine takes the key of the next insertion from this setting. A client must not choose the SCN. */
    @Test
    void shouldRefuseAnScnThatTheSessionSets() throws Exception {
        cluster.middleware().close();
        try (Connection left = cluster.direct("master")) {
            run(left, "CALL multimed.admit(" + text(left, "SELECT epoch FROM multimed.base") + ")");
            left.setAutoCommit(false);
            run(left, "UPDATE item SET v = 9 WHERE id = 1", "SET insert_id = 9223372036854775806");
            assertThatThrownBy(() -> run(left, "CALL multimed.seal(1, 1, TRUE, TRUE)"))
                    .isInstanceOf(SQLException.class)
                    .extracting("SQLState")
                    .isEqualTo("MM003");
        }
        cluster.startMiddleware();
        cluster.awaitOnline();
        assertSame("1|0", "2|0", "3|0");
    }

    /** After a hint, MySQL takes 0 as the next key, and does not show that in the setting. */
    @ParameterizedTest
    @ValueSource(strings = {"SET insert_id = 0", "UPDATE /*+ SET_VAR(insert_id = 5) */ item SET v = 9 WHERE id = 2"})
    void shouldNotSealUnderTheKeyZero(String zeroing) throws Exception {
        cluster.middleware().close();
        try (Connection left = cluster.direct("master")) {
            run(left, "CALL multimed.admit(" + text(left, "SELECT epoch FROM multimed.base") + ")");
            left.setAutoCommit(false);
            run(left, "UPDATE item SET v = 9 WHERE id = 1", zeroing);
            try {
                run(left, "CALL multimed.seal(1, 1, TRUE, FALSE)");
            } catch (SQLException e) {
                assertThat(e.getSQLState()).isEqualTo("MM003");
                left.rollback();
            }
            assertThat(text(left, "SELECT COUNT(*) FROM multimed.sealed WHERE scn = 0"))
                    .isEqualTo("0");
            left.rollback();
        }
        cluster.startMiddleware();
        cluster.awaitOnline();
        assertSame("1|0", "2|0", "3|0");
    }

    /** A limit of the session's rows applies to every query that the session runs. */
    @Test
    void shouldSendCompleteSchemaChangesUnderALimitOfRows() throws Exception {
        try (Connection client = cluster.connect()) {
            run(client, "SET sql_select_limit = 1");
            run(client, "CREATE TABLE wide (id INT PRIMARY KEY, v INT, w INT, KEY (w))", "CREATE TABLE other (id INT)");
            run(client, "INSERT INTO wide VALUES (1, 2, 3), (2, 3, 4)", "INSERT INTO other VALUES (1), (2)");
            run(client, "ALTER TABLE wide ADD COLUMN x INT NOT NULL DEFAULT 5", "UPDATE wide SET x = x + id");
            assertThat(rows(client, "SELECT * FROM wide")).hasSize(1);
            cluster.awaitApplied(); // a later change would repair a wrong definition
            run(client, "RENAME TABLE wide TO aside, other TO wide, aside TO other", "UPDATE other SET w = 0");
        }
        cluster.awaitApplied();
        try (Connection direct = cluster.direct("satellite")) {
            assertThat(rows(direct, "SELECT * FROM other")).containsExactlyInAnyOrder("1|2|0|6", "2|3|0|7");
            assertThat(rows(direct, "SELECT * FROM wide")).containsExactlyInAnyOrder("1", "2");
        } finally {
            cluster.run("DROP TABLE wide, other");
        }
    }

    /** The action of one client before it disconnects. */
    private interface Leak {
        void run(Connection connection) throws SQLException;
    }

    private static Map<String, Leak> leaks() {
        Map<String, Leak> leaks = new LinkedHashMap<>();
        leaks.put("trigger", connection -> run(connection, "INSERT INTO tattle (v) VALUES (1)"));
        leaks.put("trigger inside a group", connection -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO tattle (v) VALUES (?)")) {
                for (int i = 0; i < 5; i++) {
                    insert.setInt(1, i);
                    insert.executeUpdate();
                }
            }
        });
        leaks.put("function", connection -> text(connection, "SELECT leak()"));
        leaks.put("function in a transaction", connection -> {
            connection.setAutoCommit(false);
            run(connection, "UPDATE item SET v = leak() WHERE id = 3");
            connection.rollback();
        });
        leaks.put("procedure", connection -> run(connection, "CALL leaks()"));
        leaks.put("batch", connection -> {
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("UPDATE item SET v = 0 WHERE id = 3 -- n");
                statement.addBatch("SET sql_mode = 'ANSI_QUOTES'");
                statement.executeBatch();
            }
        });
        leaks.put("prepared text", connection -> run(connection, "PREPARE p FROM 'SET @leak = 1'", "EXECUTE p"));
        leaks.put("limit", connection -> run(connection, "SET sql_select_limit = 1"));
        return leaks;
    }

    @Test
    @Tag("exhaustive")
    void shouldNotLeaveSessionStateToTheNextClient() throws Exception {
        String trace = """
                SELECT CONCAT_WS(' ', @@sql_mode = @@GLOBAL.sql_mode, @leak IS NULL, IS_FREE_LOCK('leak'), @@foreign_key_checks = 1,
                    @@innodb_lock_wait_timeout = @@GLOBAL.innodb_lock_wait_timeout, @@sql_select_limit = @@GLOBAL.sql_select_limit)""";
        for (Map.Entry<String, Leak> leak : leaks().entrySet()) {
            try (Connection connection = cluster.connect()) {
                leak.getValue().run(connection);
            }
            cluster.awaitUnpinned();
            try (Connection first = cluster.connect();
                    Connection second = cluster.connect()) {
                for (Connection next : List.of(first, second)) {
                    next.setAutoCommit(false); // leases both connections of the master at the same time
                    run(next, "UPDATE item SET v = 0 WHERE id = " + (next == first ? 1 : 2));
                }
                for (Connection next : List.of(first, second)) {
                    await(leak.getKey()) // the engine needs time to release the locks of a session that has ended
                            .untilAsserted(() -> assertThat(text(next, trace)).isEqualTo("1 1 1 1 1 1"));
                    assertThatThrownBy(() -> text(next, "SELECT * FROM scratch"))
                            .hasMessageContaining("scratch");
                    next.rollback();
                }
            }
        }
    }

    /** The driver of the engine then fails in any statement of Multimed. */
    @ParameterizedTest
    @ValueSource(strings = {"CALL unreadable()", "INSERT INTO item VALUES (unreadable_key(), 1)"})
    @Timeout(60)
    void shouldAnswerAClientWhoseProcedureMakesResultsUnreadable(String sql) throws Exception {
        for (int i = 0; i < 8; i++) { // more rounds than connections
            for (boolean autoCommit : new boolean[] {true, false}) {
                try (Connection connection = cluster.connect()) {
                    connection.setAutoCommit(autoCommit);
                    attempt(connection, sql);
                    attempt(connection, "SELECT LAST_INSERT_ID(), 1 + 1");
                    attempt(connection, "UPDATE item SET v = v WHERE id = 1");
                } catch (SQLException e) {
                    assertThat(e.getSQLState()).isNotNull();
                }
            }
        }
        cluster.run(
                "DELETE FROM item WHERE id = 77",
                "UPDATE item SET v = 5 WHERE id = 1",
                "CREATE TABLE made_after (a INT PRIMARY KEY)",
                "DROP TABLE made_after");
        cluster.awaitApplied();
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, "SELECT v FROM item WHERE id = 1")).isEqualTo("5");
        }
    }

    private static void attempt(Connection connection, String sql) {
        try {
            run(connection, sql);
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as("%s: %s", sql, e.getMessage()).isNotNull();
        }
    }
}
