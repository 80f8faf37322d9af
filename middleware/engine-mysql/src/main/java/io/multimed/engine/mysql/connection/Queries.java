// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Runs queries and statements of Multimed's own on a connection that belongs to the caller. No method begins or ends a
 * transaction, except for {@link #end}.
 */
public final class Queries {
    private Queries() {}

    /** Converts the row on which a result set stands. */
    public interface RowReader<T> {
        T read(ResultSet row) throws SQLException;
    }

    /**
     * Returns all rows of a query, which therefore must be few.
     *
     * @param parameters values of the placeholders, in their order
     */
    public static <T> List<T> list(Connection connection, String sql, RowReader<T> reader, Object... parameters)
            throws SQLException {
        List<T> found = new ArrayList<>();
        try (PreparedStatement statement = prepare(connection, sql, parameters)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.add(reader.read(rows));
                }
            }
        }
        return found;
    }

    /**
     * Prepares on the server if a parameter contains a backslash. Otherwise the driver writes the parameters into the
     * text, and escapes backslashes by the {@code sql_mode} that the session had at its begin, which may have changed
     * since. A statement that the server prepares receives its parameters apart from the text.
     */
    private static PreparedStatement prepare(Connection connection, String sql, Object... parameters)
            throws SQLException {
        boolean backslash = Stream.of(parameters)
                .anyMatch(parameter -> parameter instanceof String text && text.indexOf('\\') >= 0);
        return backslash
                ? connection.unwrap(JdbcConnection.class).serverPrepareStatement(sql)
                : connection.prepareStatement(sql);
    }

    /** Returns the first column of all rows. */
    public static List<String> texts(Connection connection, String sql, Object... parameters) throws SQLException {
        return list(connection, sql, row -> row.getString(1), parameters);
    }

    /** Returns the number in the first row of a query that always returns a row. */
    public static long number(Connection connection, String sql, Object... parameters) throws SQLException {
        return list(connection, sql, row -> row.getLong(1), parameters).get(0);
    }

    /** Runs statements, one or several in one text, and throws the first error among them. */
    public static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
            finish(statement);
        }
    }

    /** Reads the remaining answers of several statements, because each of them may be an error. */
    public static void finish(Statement statement) throws SQLException {
        boolean more = true;
        while (more) {
            more = statement.getMoreResults() || statement.getUpdateCount() >= 0;
        }
    }

    /** Returns the driver's connection, which stays the same for all leases of a pooled connection. */
    public static Connection driver(Connection connection) throws SQLException {
        return connection.unwrap(JdbcConnection.class);
    }

    /** Commits, unless the connection is in auto-commit. */
    public static void end(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }
}
