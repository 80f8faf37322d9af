package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/**
 * A master and two satellites of one engine with a client, for scenarios of DDL: what the client runs, who answers, and what the satellites have then. What is the engine's own way of
 * saying it is in its file {@code ddl.sql}.
 */
final class DdlSystem implements AutoCloseable {
    static final List<String> SATELLITES = List.of("satellite-1", "satellite-2");

    private static final String MARK = "old copy";

    private final EngineSql sql;
    private final TestCluster cluster;
    private final Copies copies;
    private Connection connection;

    DdlSystem(String engine) throws Exception {
        sql = EngineSql.of(engine, "ddl");
        cluster = TestCluster.withSatellites(engine, SATELLITES.size()).awaitOnline();
        copies = Copies.of(cluster, SATELLITES.toArray(new String[0]));
    }

    TestCluster cluster() {
        return cluster;
    }

    /** The client's. */
    Connection connection() {
        return connection;
    }

    /** A new client of a database with one table, always_there; from now on no satellite may be seeded anew. */
    void begin() throws SQLException {
        connection = cluster.connect();
        for (String query : sql.statements("statements that clean")) {
            run(texts("master", query).toArray(new String[0]));
        }
        copies.mark();
    }

    /** Satellites have what the master has, and have come to it by the WriteSets alone. */
    void end() throws SQLException {
        connection.close();
        assertSame();
    }

    /** Whether the engine, and Multimed on it, can do that; if not, its file says why. */
    boolean can(String ability) {
        return sql.section(ability).notHere().isEmpty();
    }

    /** A word or a statement as the engine has it; empty if it has none. */
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

    /** A passage of the engine's own; ends the test as {@link #require} says. */
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
        assertThat(node()).as(query).isIn(SATELLITES);
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

    /** The first column of what a node answers past the middleware. */
    private List<String> texts(String node, String query) throws SQLException {
        try (Connection direct = cluster.direct(node)) {
            return texts(direct, query);
        }
    }

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

    /** Waits until satellites have everything; then their schemas and rows must be the master's. */
    void assertSame() throws SQLException {
        copies.assertSame();
        List<List<String>> wanted = catalogue("master");
        for (String satellite : SATELLITES) {
            List<List<String>> found = catalogue(satellite);
            for (int i = 0; i < wanted.size(); i++) {
                assertThat(found.get(i)).as(satellite).containsExactlyInAnyOrderElementsOf(wanted.get(i));
            }
        }
    }

    private List<List<String>> catalogue(String node) throws SQLException {
        List<List<String>> answers = new ArrayList<>();
        try (Connection direct = cluster.direct(node)) {
            for (String query : sql.statements("catalogue")) {
                answers.add(texts(direct, query));
            }
        }
        return answers;
    }

    /** Another middleware on the same engines, and another client of it. */
    void restartMiddleware() throws Exception {
        connection.close();
        cluster.restartMiddleware();
        cluster.awaitOnline();
        connection = cluster.connect();
    }

    /** Past the middleware. */
    void runDirectly(String node, String... statements) throws SQLException {
        try (Connection direct = cluster.direct(node)) {
            Sql.run(direct, statements);
        }
    }

    /** Puts a comment on tables of all satellites: a copy that is made anew does not have it. */
    void markTables(String... tables) throws SQLException {
        cluster.awaitApplied();
        for (String satellite : SATELLITES) {
            runDirectly(
                    satellite,
                    Arrays.stream(tables)
                            .map(table -> word("comment on a table", table, MARK))
                            .toArray(String[]::new));
        }
    }

    /** The tables that are still those that were marked. */
    List<String> markedTables(String satellite) throws SQLException {
        return texts(satellite, word("tables with a comment", MARK));
    }

    /** After what has made a satellite anew. */
    void allowNewCopies() throws SQLException {
        copies.mark();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
