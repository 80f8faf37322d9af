// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static io.multimed.engine.conformance.Sql.run;
import static io.multimed.engine.conformance.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.server.failure.SmallPoolTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * The state of an engine's session stays with its client, appears in the status, ends, and does not reach the next
 * client. The master has only two connections.
 */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("standbys")
@Tag("slow")
class SessionStateTest extends SmallPoolTest {
    private static final Duration ENGINE_ENDS_SESSION = Duration.ofSeconds(10);

    private final EngineSql words;
    private final EngineSql sessions;

    SessionStateTest(String engine) {
        words = EngineSql.of(engine, "words");
        sessions = EngineSql.of(engine, "sessions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        start(engine, 2, "CREATE TABLE thing (id int PRIMARY KEY, v varchar(20))", "INSERT INTO thing VALUES (1, 'a')");
        cluster.run(EngineSql.of(engine, "sessions").statements("setup"));
    }

    /** Returns the node of the client's reads. */
    private static String node(Connection connection) throws SQLException {
        text(connection, "SELECT v FROM thing WHERE id = 1");
        return Sql.node(connection);
    }

    @Test
    void shouldPinTheSessionAsLongAsItHasState() throws SQLException {
        for (String line : sessions.statements("states")) {
            String[] state = line.split(" \\| ", -1);
            try (Connection connection = cluster.connect()) {
                assertThat(node(connection)).as(line).isEqualTo("satellite");
                run(connection, state[0]);
                assertThat(cluster.pinned()).as(line).startsWith("1 (").contains(state[2] + " 1");
                assertThat(node(connection)).as(line).isEqualTo("master");
                assertThat(text(connection, "SHOW MULTIMED STATUS")).isEqualTo("master");
                run(connection, state[1]);
                assertThat(cluster.pinned()).as(line).isEmpty();
                assertThat(node(connection)).as(line).isEqualTo("satellite");
            }
        }
    }

    @Test
    void shouldNotPinTheSessionForStateOfATransaction() throws SQLException {
        for (String sql : sessions.statements("passing")) {
            try (Connection connection = cluster.connect()) {
                run(connection, sql);
                assertThat(cluster.pinned()).as(sql).isEmpty();
                assertThat(node(connection)).as(sql).isEqualTo("satellite");
            }
        }
    }

    @Test
    void shouldKeepSessionStateWithItsClient() throws SQLException {
        try (Connection one = cluster.connect();
                Connection other = cluster.connect()) {
            run(one, sessions.statement("keep"));
            run(one, "CREATE TEMPORARY TABLE mine (a int)", "INSERT INTO mine VALUES (7)");
            assertThat(cluster.pinned()).contains(sessions.statement("kept") + " 1", "temporary tables 1");
            assertThat(text(one, "SELECT a FROM mine")).isEqualTo("7");
            assertThat(text(one, sessions.statement("ask"))).isEqualTo("5");
            for (int i = 0; i < 20; i++) {
                assertThat(text(other, sessions.statement("ask"))).isNotEqualTo("5");
            }
            assertThatThrownBy(() -> text(other, "SELECT a FROM mine"))
                    .hasMessageContaining("mine")
                    .extracting("SQLState")
                    .isEqualTo(sessions.statement("state of an unknown table"));
            run(one, "INSERT INTO thing SELECT a + 500, 'temp' FROM mine");
            run(one, sessions.statements("forget"));
            assertThat(cluster.pinned()).isEmpty();
            assertThat(text(one, "SELECT v FROM thing WHERE id = 507")).isEqualTo("temp");
            assertThat(Sql.node(one)).isEqualTo("satellite");
            assertThatThrownBy(() -> text(one, "SELECT a FROM mine")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    @Tag("exhaustive")
    void shouldNotExposeStateToTheNextClient() throws SQLException {
        for (int round = 0; round < 4; round++) {
            try (Connection connection = cluster.connect()) {
                connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                run(connection, "DELETE FROM thing WHERE id = 99");
                run(connection, sessions.statements("leaks"));
                assertThat(cluster.pinned()).startsWith("1 (");
                connection.setReadOnly(true);
            }
            cluster.awaitUnpinned();
            try (Connection first = cluster.connect();
                    Connection second = cluster.connect()) {
                for (Connection next : List.of(first, second)) {
                    next.setAutoCommit(false); // both of the master's connections at once
                    run(next, "UPDATE thing SET v = 'a' WHERE id = " + (next == first ? 1 : 50));
                }
                for (Connection next : List.of(first, second)) {
                    for (String trace : sessions.statements("traces")) {
                        String[] expected = trace.split(" \\| ", -1);
                        // an engine ends a session some time after its connection is closed
                        await("the engine has ended the previous session; see its session list")
                                .atMost(ENGINE_ENDS_SESSION)
                                .untilAsserted(() -> assertThat(answer(next, expected[0]))
                                        .as("what an earlier session left: %s", trace)
                                        .isEqualTo(expected[1]));
                    }
                    next.rollback();
                }
            }
        }
    }

    /** Returns the answer, or the SQLState. */
    private static String answer(Connection connection, String query) {
        try {
            return String.valueOf(text(connection, query));
        } catch (SQLException e) {
            return e.getSQLState();
        }
    }

    @Test
    void shouldRefuseUnsupportedSessionStatements() throws SQLException {
        try (Connection connection = cluster.connect()) {
            sessions.section("refused").run(connection);
        }
        assertThat(cluster.pinned()).isEmpty();
    }

    /**
     * At this isolation level, each statement has its own snapshot, so the rest of the transaction may run on the
     * master.
     */
    @Test
    void shouldContinueAReadOnlyTransactionOnTheMasterWhenNecessary() throws SQLException {
        for (String sql : sessions.statements("effects")) {
            try (Connection connection = cluster.connect()) {
                disableSnapshotOfTheTransaction(connection);
                beginReading(connection);
                run(connection, sql);
                assertThat(node(connection)).as(sql).isEqualTo("master");
                assertThatThrownBy(() -> run(connection, "UPDATE thing SET v = 'b' WHERE id = 1"))
                        .as(sql)
                        .extracting("SQLState")
                        .isEqualTo(words.statement("state of a change over a read-only connection"));
                connection.rollback();
                connection.setReadOnly(false);
                connection.setAutoCommit(true);
                run(connection, "UPDATE thing SET v = 'a' WHERE id = 1");
                run(connection, sessions.statements("forget"));
                assertThat(cluster.pinned()).as(sql).isEmpty();
            }
        }
        for (String sql : sessions.statements("hidden effect")) {
            try (Connection connection = cluster.connect()) {
                disableSnapshotOfTheTransaction(connection);
                beginReading(connection);
                assertThatThrownBy(() -> run(connection, sql))
                        .extracting("SQLState")
                        .isEqualTo("25006");
                connection.rollback();
            }
        }
        cluster.awaitUnpinned();
    }

    private static void beginReading(Connection connection) throws SQLException {
        connection.setReadOnly(true);
        connection.setAutoCommit(false);
        assertThat(node(connection)).isEqualTo("satellite");
    }

    /** Sets READ COMMITTED on engines that have another default. */
    private static void disableSnapshotOfTheTransaction(Connection connection) throws SQLException {
        if (connection.getTransactionIsolation() != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        }
    }

    @Test
    void shouldNotRunStatementsWithEffectsOnASatellite() throws SQLException {
        try (Connection connection = cluster.connect()) {
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            beginReading(connection);
            for (String sql : sessions.statements("effects")) {
                assertThatThrownBy(() -> run(connection, sql))
                        .as(sql)
                        .extracting("SQLState")
                        .isEqualTo("0A000");
            }
            assertThat(node(connection)).isEqualTo("satellite");
            connection.rollback();
        }
    }

    @Test
    void shouldKeepResultsAndSavepointsOfAReadOnlyTransaction() throws SQLException {
        String effect = sessions.statements("effects")[0];
        cluster.run("INSERT INTO thing VALUES (201, 'x'), (202, 'x'), (203, 'x')");
        try (Connection connection = cluster.connect()) {
            disableSnapshotOfTheTransaction(connection);
            beginReading(connection);
            if (sessions.section("savepoint in a read-only transaction")
                    .notHere()
                    .isEmpty()) {
                connection.setSavepoint("here");
                assertThatThrownBy(() -> run(connection, effect))
                        .hasMessageContaining("open results or savepoints")
                        .extracting("SQLState")
                        .isEqualTo("0A000");
                connection.rollback();
            }
            try (Statement statement = connection.createStatement()) {
                statement.setFetchSize(1);
                try (ResultSet rows = statement.executeQuery("SELECT id FROM thing")) {
                    assertThat(rows.next()).isTrue();
                    if (sessions.statement("an open result").equals("stays open")) {
                        assertThatThrownBy(() -> run(connection, effect))
                                .extracting("SQLState")
                                .isEqualTo("0A000");
                    } else {
                        run(connection, effect);
                    }
                    assertThat(rows.next()).isTrue();
                }
            }
            connection.rollback();
        }
    }

    @Test
    void shouldReserveOneMasterConnectionForOtherClients() throws SQLException {
        String keep = sessions.statement("keep");
        try (Connection first = cluster.connect();
                Connection second = cluster.connect()) {
            run(first, keep);
            assertThatThrownBy(() -> run(second, keep))
                    .hasMessageContaining("too many clients keep a connection")
                    .extracting("SQLState")
                    .isEqualTo("53300");
            run(second, "INSERT INTO thing VALUES (60, 'x')", "DELETE FROM thing WHERE id = 60");
            run(first, sessions.statements("forget"));
            run(second, keep);
        }
        cluster.awaitUnpinned();
    }
}
