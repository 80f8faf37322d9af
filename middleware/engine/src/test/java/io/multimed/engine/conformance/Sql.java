// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Short methods to run the statements of tests. */
public final class Sql {
    private Sql() {}

    /** Runs statements one after the other. */
    public static void run(Connection connection, String... statements) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** The first value of a query's first row; null if it is NULL, or there is no row. */
    public static @Nullable String text(Connection connection, String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    /** The node that answered last. */
    public static String node(Connection connection) throws SQLException {
        return connection.unwrap(MultimedConnection.class).lastNode();
    }

    /** The node that answered last, and why: "node: reason". */
    public static String route(Connection connection) throws SQLException {
        MultimedConnection multimed = connection.unwrap(MultimedConnection.class);
        return multimed.lastNode() + ": " + multimed.why();
    }

    /** Returns all rows, sorted: one line for each row, with | between the texts of the columns. */
    public static List<String> rows(Connection connection, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            while (found.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                    row.add(String.valueOf(found.getString(i)));
                }
                rows.add(String.join("|", row));
            }
        }
        Collections.sort(rows);
        return rows;
    }

    /**
     * Ends the sessions that a query of an engine's words tells.
     *
     * @return how many there were
     */
    public static int endSessions(Connection connection, EngineSql words, String which) throws SQLException {
        List<String> sessions = rows(connection, words.statement(which));
        for (String session : sessions) {
            run(connection, words.statement("end session").formatted(session));
        }
        return sessions.size();
    }
}
