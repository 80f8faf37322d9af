// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import io.multimed.jdbc.MultimedConnection;
import io.multimed.server.testing.Copies;
import io.multimed.server.testing.TestCluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;

/**
 * Starts a master and a satellite of one engine with a client, runs scenarios of DDL, and checks the answering node and
 * the rows of the satellite. The SQL of the engine is in its file {@code ddl.sql}.
 */
final class DdlSystem implements AutoCloseable {
    static final String SATELLITE = "satellite-1";

    private static final String MARK = "old copy";

    private final EngineSql sql;
    private final TestCluster cluster;
    private final Copies copies;

    /** Direct connections to the nodes, by the name of the node; opened at their first use. */
    private final Map<String, Connection> direct = new HashMap<>();

    private Connection connection;

    DdlSystem(String engine) throws Exception {
        sql = EngineSql.of(engine, "ddl");
        cluster = TestCluster.withSatellites(engine, 1).awaitOnline();
        copies = Copies.of(cluster, SATELLITE).mark();
    }

    TestCluster cluster() {
        return cluster;
    }

    /** The client's. */
    Connection connection() {
        return connection;
    }

    /** A new client of a database with one table, always_there. */
    void begin() throws SQLException {
        connection = cluster.connect();
        for (String query : sql.statements("statements that clean")) {
            run(texts(direct("master"), query).toArray(new String[0]));
        }
    }

    /** Checks that the satellite equals the master through WriteSets alone. */
    void end() throws SQLException {
        connection.close();
        try {
            assertSame();
        } catch (AssertionError e) {
            allowNewCopies(); // a failure here must not fail the next test
            throw e;
        }
    }

    /**
     * Returns true if the engine, and Multimed on the engine, have the ability; if not, the file of the engine gives
     * the reason.
     */
    boolean can(String ability) {
        return sql.section(ability).notHere().isEmpty();
    }

    /** Returns a word or a statement of the engine; empty if the engine has none. */
    String word(String name, Object... arguments) {
        return can(name) ? sql.statement(name).formatted(arguments) : "";
    }

    /** Statements of the client. */
    void run(String... statements) throws SQLException {
        Sql.run(connection, statements);
    }

    /** Ends the test, as one that is skipped, where the engine has nothing of the kind. */
    void require(String passage) {
        String missing = sql.section(passage).notHere();
        Assumptions.assumeTrue(missing.isEmpty(), missing);
    }

    /** Returns a passage of the engine's file; skips the test like {@link #require} if the engine has none. */
    void runPassage(String name) throws SQLException {
        sql.section(name).run(connection);
    }

    /** The statements of a passage, which may be none. */
    String[] passage(String name) {
        return sql.statements(name);
    }

    /** @param because words of the refusal */
    void assertRefused(String statement, String because) {
        assertThatThrownBy(() -> run(statement))
                .as(statement)
                .hasMessageContaining(because)
                .extracting("SQLState")
                .isEqualTo("0A000");
    }

    /** The first column of what a satellite answers to the client. */
    List<String> read(String query) throws SQLException {
        List<String> found = texts(connection, query);
        assertThat(node()).as(query).isEqualTo(SATELLITE);
        return found;
    }

    /** The first column of what the master answers to the client, because satellites cannot. */
    List<String> readAtMaster(String query) throws SQLException {
        List<String> found = texts(connection, query);
        assertThat(node()).as(query).isEqualTo("master");
        return found;
    }

    private String node() throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    private Connection direct(String node) throws SQLException {
        Connection known = direct.get(node);
        if (known == null) {
            known = cluster.direct(node);
            direct.put(node, known);
        }
        return known;
    }

    private void closeDirect() throws SQLException {
        for (Connection each : direct.values()) {
            each.close();
        }
        direct.clear();
    }

    /** Past the middleware. */
    void runDirectly(String node, String... statements) throws SQLException {
        Sql.run(direct(node), statements);
    }

    /** The first column of a query's answer. */
    private static List<String> texts(Connection on, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = on.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

    /** Waits until the satellite has applied all changes; then its schema and rows must equal the master. */
    void assertSame() throws SQLException {
        copies.assertSame();
        for (String query : sql.statements("catalog")) {
            assertThat(texts(direct(SATELLITE), query))
                    .containsExactlyInAnyOrderElementsOf(texts(direct("master"), query));
        }
    }

    /** Returns the catalog entries of all tables of a node. */
    List<String> catalog(String node) throws SQLException {
        List<String> found = new ArrayList<>();
        for (String query : sql.statements("catalog")) {
            found.addAll(texts(direct(node), query));
        }
        return found;
    }

    /** Starts another middleware on the same engines, and connects a new client. */
    void restartMiddleware() throws Exception {
        connection.close();
        closeDirect(); // a middleware that takes over ends direct sessions
        cluster.restartMiddleware();
        cluster.awaitOnline();
        connection = cluster.connect();
    }

    /** Puts a comment on tables of the satellite; a new seeding removes the comment. */
    void markTables(String... tables) throws SQLException {
        cluster.awaitApplied();
        for (String table : tables) {
            runDirectly(SATELLITE, word("comment on a table", table, MARK));
        }
    }

    /** Returns the tables that still have their comment. */
    List<String> markedTables() throws SQLException {
        return texts(direct(SATELLITE), word("tables with a comment", MARK));
    }

    /** Accepts the new seeding that the test has caused. */
    void allowNewCopies() throws SQLException {
        copies.mark();
    }

    @Override
    public void close() throws SQLException {
        closeDirect();
        cluster.close();
    }
}
