// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.EachEngine;
import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;

/** A connection reports the node that answered last, and the reason. */
@Timeout(600)
@ParameterizedClass
@EachEngine
@Tag("slow")
class RouteTest {
    private static TestCluster cluster;

    private final EngineSql words;
    private final EngineSql sessions;

    RouteTest(String engine) {
        words = EngineSql.of(engine, "words");
        sessions = EngineSql.of(engine, "sessions");
    }

    @BeforeParameterizedClassInvocation
    static void start(String engine) throws Exception {
        cluster = TestCluster.of("""
                engine: %s
                share-cores: true
                optimization: C2
                nodes:
                - {name: master, role: master, memory: 128m}
                - {name: satellite, role: satellite, memory: 128m, tables: [held]}
                """.formatted(engine));
        run("CREATE TABLE held (id int PRIMARY KEY)", "CREATE TABLE other (id int PRIMARY KEY)");
        run(EngineSql.of(engine, "sessions").statement("function of no promise"));
        cluster.awaitOnline().awaitApplied();
    }

    @AfterParameterizedClassInvocation
    static void stop() {
        cluster.close();
    }

    private static void run(String... statements) throws SQLException {
        cluster.run(statements);
    }

    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    /** Runs a statement and returns its route. */
    private static String after(Use before, String sql) throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            before.of(connection);
            statement.execute(sql);
            MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
            String told = multimed.lastNode() + ": " + multimed.why();
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
            return told;
        }
    }

    private static String after(String sql) throws SQLException {
        return after(connection -> {}, sql);
    }

    @Test
    void shouldReportWhyTheMasterAnswered() throws SQLException {
        assertThat(after("UPDATE held SET id = id")).isEqualTo("master: update");
        assertThat(after("SELECT effect() FROM held")).isEqualTo("master: not proved a pure read: function effect()");
        assertThat(after("SELECT id FROM held FOR UPDATE"))
                .isEqualTo("master: not proved a pure read: the word UPDATE");
        for (String several : sessions.statements("several statements")) {
            assertThat(after(several)).isEqualTo("master: not proved a pure read: several statements in one text");
        }
        String random = sessions.statement("random");
        assertThat(after("SELECT %s FROM held".formatted(random)))
                .isEqualTo("master: the result differs between nodes, and the transaction is not read-only: function "
                        + random);
        assertThat(after(words.statement("catalog")))
                .isEqualTo("master: queries of the engine's catalog run on the master");
        assertThat(after("SELECT id FROM other"))
                .isEqualTo("master: no online satellite holds all tables of the statement: other");
        assertThat(after(
                        connection -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                        "SELECT id FROM held"))
                .isEqualTo("master: serializable transactions run on the master");
        assertThat(after(sessions.statement("keep")))
                .isEqualTo("master: the statement depends on the engine's session");
    }

    @Test
    void shouldReportWhyASatelliteAnswered() throws SQLException {
        await("a read runs on the satellite; see the state and the lag in the status")
                .atMost(Duration.ofSeconds(90))
                .untilAsserted(() ->
                        assertThat(after("SELECT id FROM held")).isEqualTo("satellite: read on a fresh satellite"));
        assertThat(after(
                        connection -> {
                            connection.setReadOnly(true);
                            connection.setAutoCommit(false);
                        },
                        "SELECT id FROM held"))
                .isEqualTo(
                        "master: no online satellite holds all tables of the statement: any table, in a transaction");
    }

    @Test
    void shouldReadQuotedNamesOnASatelliteAndEngineFunctionsOnTheMaster() throws SQLException {
        String quote;
        try (Connection connection = cluster.connect()) {
            quote = connection.getMetaData().getIdentifierQuoteString();
        }
        assertThat(after("SELECT id FROM %1$sheld%1$s /* a comment */ -- and another".formatted(quote)))
                .isEqualTo("satellite: read on a fresh satellite");
        assertThat(after(words.statement("ask the engine"))).startsWith("master: ");
    }

    @Test
    void shouldReportATransactionOrAPinnedSessionAsTheReason() throws SQLException {
        try (Connection connection = cluster.connect();
                Statement statement = connection.createStatement()) {
            MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
            assertThat(multimed.why()).isEqualTo("no request was executed on a node");
            connection.setAutoCommit(false);
            statement.executeUpdate("UPDATE held SET id = id");
            try (ResultSet rows = statement.executeQuery("SELECT id FROM held")) {
                assertThat(rows.next()).isFalse();
            }
            assertThat(multimed.why()).isEqualTo("the transaction is on this node");
            connection.commit();
            connection.setAutoCommit(true);
            Sql.run(connection, sessions.statement("keep"));
            Sql.run(connection, "CREATE TEMPORARY TABLE mine (a int)", "SELECT id FROM held");
            assertThat(multimed.why()).startsWith("pinned: ").contains(sessions.statement("kept"), "temporary tables");
            Sql.run(connection, sessions.statements("forget"));
            Sql.run(connection, "SELECT id FROM held");
            assertThat(multimed.why()).doesNotContain("pinned");
        }
    }

    /** Returns the results of a read-only transaction before and after another client's commit. */
    private static String readTwice(Use before) throws SQLException {
        run("INSERT INTO held VALUES (1)");
        try (Connection connection = cluster.connect()) {
            connection.setReadOnly(true);
            before.of(connection);
            connection.setAutoCommit(false);
            String first = Sql.text(connection, "SELECT count(*) FROM held");
            assertThat(Sql.node(connection)).isEqualTo("master");
            run("INSERT INTO held VALUES (2)");
            String both = first + ", " + Sql.text(connection, "SELECT count(*) FROM held");
            connection.rollback();
            connection.setReadOnly(false);
            Sql.run(connection, "UPDATE held SET id = 3 WHERE id = 2"); // changes a row that is not in the snapshot
            String last = Sql.text(connection, "SELECT max(id) FROM held");
            Sql.run(connection, "DELETE FROM held");
            connection.commit();
            return both + ", " + last;
        }
    }

    @Test
    void shouldKeepOneSnapshotInAReadOnlyTransactionThatTheMasterAnswers() throws Exception {
        assertThat(readTwice(connection -> {})).isEqualTo("1, 1, 3");
        run("ALTER MULTIMED SATELLITE satellite DRAIN FORCE");
        assertThat(readTwice(connection -> {})).isEqualTo("1, 1, 3");
        assertThat(readTwice(connection -> Sql.run(connection, sessions.statement("keep"))))
                .as("with session state")
                .isEqualTo("1, 1, 3");
        assertThat(readTwice(connection -> connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED)))
                .as("asked for otherwise")
                .isEqualTo("1, 2, 3");
        run("ALTER MULTIMED SATELLITE satellite RESUME");
        cluster.awaitOnline();
    }

    @Test
    void shouldReportThatNoSatelliteIsOnline() throws Exception {
        run("ALTER MULTIMED SATELLITE satellite DRAIN FORCE");
        assertThat(after("SELECT 1")).isEqualTo("master: no satellite is online");
        run("ALTER MULTIMED SATELLITE satellite RESUME");
        cluster.awaitOnline();
    }

    @Test
    void shouldDetectWhetherALargeWriteSetChangesTheSchema() throws Exception {
        String rows = IntStream.range(1_000, 2_000).mapToObj("(%d)"::formatted).collect(Collectors.joining(","));
        try (Connection client = cluster.connect();
                Connection engine = cluster.direct("master")) {
            Sql.run(client, "INSERT INTO held VALUES " + rows);
            assertThat(lastHasDdl(engine)).isFalse();
            Sql.run(client, "CREATE TABLE copied AS SELECT id FROM held");
            assertThat(lastHasDdl(engine)).isTrue();
            Sql.run(client, "DROP TABLE copied", "DELETE FROM held");
            assertThat(lastHasDdl(engine)).isFalse();
        }
        cluster.awaitApplied();
    }

    private static boolean lastHasDdl(Connection engine) throws SQLException {
        try (Statement statement = engine.createStatement();
                ResultSet row = statement.executeQuery("SELECT ddl FROM multimed.sealed ORDER BY scn DESC LIMIT 1")) {
            row.next();
            return row.getBoolean(1);
        }
    }
}
