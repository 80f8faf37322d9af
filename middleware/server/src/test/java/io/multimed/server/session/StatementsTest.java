// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.node;
import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.server.failure.SmallPoolTest;
import io.multimed.server.testing.Copies;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Checks transactions that begin by SQL, and views: each statement has the same effect as on the plain engine, and
 * reads run on the satellite.
 */
@Tag("slow")
@Timeout(600)
@ParameterizedClass
@EachEngine
class StatementsTest extends SmallPoolTest {
    private static Copies copies;

    private final EngineSql words;
    private final EngineSql sessions;

    StatementsTest(String engine) {
        words = EngineSql.of(engine, "words");
        sessions = EngineSql.of(engine, "sessions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(engine, 3, "CREATE TABLE entry (id int PRIMARY KEY, v varchar(20), n int DEFAULT 0)");
        cluster.run(EngineSql.of(engine, "sessions").statement("function of no promise"));
        copies = Copies.of(cluster, "satellite").mark();
    }

    @Test
    void shouldBeginTransactionsWithTheOptionsOfSql() throws SQLException {
        String read = "SELECT v FROM entry WHERE id = 100";
        cluster.run("INSERT INTO entry (id, v) VALUES (100, 'a')");
        try (Connection connection = cluster.connect()) {
            run(connection, "START TRANSACTION READ ONLY");
            assertThat(text(connection, read)).isEqualTo("a");
            assertThat(node(connection)).isEqualTo("satellite");
            cluster.run("UPDATE entry SET v = 'b' WHERE id = 100");
            assertThat(text(connection, read)).isEqualTo("a");
            assertReadOnly(connection, words.statement("state of a change over a read-only connection"));
            run(connection, "ROLLBACK");
            assertThat(text(connection, read)).isEqualTo("b");

            run(connection, sessions.statement("all transactions read only"));
            assertReadOnly(connection, "25006");
            run(connection, "START TRANSACTION READ WRITE", "UPDATE entry SET v = 'c' WHERE id = 100", "COMMIT");
            run(connection, sessions.statement("all transactions read write"));
            assertThat(text(connection, read)).isEqualTo("c");

            run(connection, "START TRANSACTION READ WRITE", "UPDATE entry SET v = 'undone' WHERE id = 100", "ROLLBACK");
            assertThat(text(connection, read)).isEqualTo("c");
        }
        copies.assertSame();
    }

    private static void assertReadOnly(Connection connection, String sqlState) {
        assertThatThrownBy(() -> run(connection, "UPDATE entry SET v = 'x' WHERE id = 100"))
                .extracting("SQLState")
                .isEqualTo(sqlState);
    }

    @Test
    void shouldUseTheIsolationLevelThatSqlSets() throws SQLException {
        cluster.run("INSERT INTO entry (id, n) VALUES (200, 0), (201, 0)");
        try (Connection connection = cluster.connect()) {
            for (String level : List.of("READ COMMITTED", "REPEATABLE READ")) {
                for (String begin : sessions.statements("begin at a level")) {
                    run(connection, begin.formatted(level));
                }
                assertIsolation(connection, level);
                run(
                        connection,
                        sessions.statement("all transactions at a level").formatted(level));
                for (int round = 1; round <= 2; round++) {
                    run(connection, "BEGIN");
                    assertIsolation(connection, level);
                }
            }
        }
        copies.assertSame();
    }

    /** Checks whether a transaction on the master sees commits of other clients, and ends the transaction. */
    private static void assertIsolation(Connection connection, String level) throws SQLException {
        String read = "SELECT n FROM entry WHERE id = 200";
        run(connection, "UPDATE entry SET n = n + 1 WHERE id = 201");
        int before = Integer.parseInt(text(connection, read));
        cluster.run("UPDATE entry SET n = n + 1 WHERE id = 200");
        assertThat(text(connection, read))
                .as(level)
                .isEqualTo(String.valueOf(level.equals("READ COMMITTED") ? before + 1 : before));
        assertThat(node(connection)).isEqualTo("master");
        run(connection, "COMMIT");
        assertThat(text(connection, read)).isEqualTo(String.valueOf(before + 1));
    }

    @Test
    void shouldGrantALockToOneClientOnly() throws SQLException {
        String lock = sessions.statement("lock");
        try (Connection one = cluster.connect();
                Connection other = cluster.connect()) {
            assertThat(isTrue(one, lock)).isTrue();
            assertThat(isTrue(other, lock)).isFalse();
            assertThat(isTrue(one, sessions.statement("unlock"))).isTrue();
            assertThat(isTrue(other, lock)).isTrue();
            assertThat(isTrue(other, sessions.statement("unlock"))).isTrue();
            assertThat(cluster.pinned()).isEmpty();
        }
    }

    private static boolean isTrue(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() && row.getBoolean(1);
        }
    }

    @Test
    void shouldReadViewsOnSatellites() throws Exception {
        cluster.run(
                "CREATE TABLE seen (id int PRIMARY KEY, v varchar(20), n int)",
                "INSERT INTO seen VALUES (1, 'one', 1), (2, 'two', NULL)",
                "CREATE VIEW some_seen (number, what) AS SELECT id, COALESCE(CONCAT(v, '!'), 'none') FROM seen WHERE n IS NULL OR n > 0",
                "CREATE OR REPLACE VIEW a_view_of_it AS SELECT s.number, t.v FROM some_seen s LEFT JOIN seen t ON t.id = s.number",
                "CREATE VIEW masters AS SELECT id, effect() AS e FROM seen",
                "CREATE VIEW masters_too AS SELECT id, CURRENT_USER AS u FROM seen");
        assertRead("SELECT MAX(what) FROM some_seen", "two!", "satellite");
        assertRead("SELECT COUNT(*) FROM a_view_of_it", "2", "satellite");
        assertRead("SELECT SUM(e) FROM masters", "2", "master");
        assertRead("SELECT COUNT(*) FROM masters_too", "2", "master");
        cluster.run("UPDATE seen SET v = 'changed' WHERE id = 1", "ALTER TABLE seen ADD COLUMN more int DEFAULT 4");
        assertRead("SELECT v FROM a_view_of_it WHERE number = 1", "changed", "satellite");
        cluster.run("CREATE OR REPLACE VIEW some_seen AS SELECT id AS number, 'other' AS what FROM seen LIMIT 1");
        assertRead("SELECT what FROM some_seen", "other", "satellite");
        cluster.run(
                sessions.statement("rename view").formatted("some_seen", "renamed"),
                "CREATE OR REPLACE VIEW renamed AS SELECT n AS number, 'another' AS what FROM seen WHERE id = 1");
        assertRead("SELECT number FROM renamed", "1", "satellite");
        assertMissing("some_seen");
        cluster.run(
                "DROP VIEW a_view_of_it", "DROP VIEW renamed, masters_too", "CREATE VIEW last_one AS SELECT 1 AS one");
        assertMissing("renamed");
        copies.assertSame();
        cluster.restartMiddleware();
        cluster.awaitOnline();
        assertRead("SELECT one FROM last_one", "1", "satellite");
        copies.assertSame(); // no table was seeded again
        cluster.run("ALTER MULTIMED SATELLITE satellite RESEED FORCE");
        cluster.awaitOnline();
        assertRead("SELECT one FROM last_one", "1", "satellite");
        copies.mark();
    }

    private static void assertMissing(String view) {
        assertThatThrownBy(() -> cluster.run("SELECT * FROM " + view)).hasMessageContaining(view);
    }

    private static void assertRead(String query, String answer, String node) throws SQLException {
        try (Connection connection = cluster.connect()) {
            assertThat(text(connection, query)).as(query).isEqualTo(answer);
            assertThat(node(connection)).as(query).isEqualTo(node);
        }
    }
}
