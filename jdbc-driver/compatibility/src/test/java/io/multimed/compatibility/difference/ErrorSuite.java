// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** Compares statements that fail: plain, prepared, and in a transaction, whose state is compared afterwards. */
final class ErrorSuite {
    private final Comparisons comparisons;

    ErrorSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) throws IOException, SQLException {
        for (String sql : Resource.lines(comparisons.family(), "errors.txt")) {
            comparisons.compare("plain " + sql, engines, ours, connection -> plain(connection, sql));
            comparisons.compare("prepared " + sql, engines, ours, connection -> prepared(connection, sql));
            comparisons.compare("transaction " + sql, engines, ours, connection -> inTransaction(connection, sql));
            comparisons.compare("fields " + sql, engines, ours, connection -> fields(connection, sql));
            comparisons.compare("batch " + sql, engines, ours, connection -> batch(connection, sql));
        }
    }

    private static Object plain(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            return statement.execute(sql);
        }
    }

    private String fields(Connection connection, String sql) {
        try {
            return "no error, " + plain(connection, sql);
        } catch (SQLException e) {
            return comparisons.family().fields(e);
        }
    }

    private static Object prepared(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            return statement.execute();
        }
    }

    /** Returns the outcome of the statement, and of the next one. */
    private static Object inTransaction(Connection connection, String sql) throws Exception {
        connection.setAutoCommit(false);
        try {
            String first = Rendering.outcome(connection, same -> prepared(same, sql));
            String next = Rendering.outcome(connection, same -> plain(same, "SELECT 1"));
            return first + " THEN " + next;
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static Object batch(Connection connection, String sql) throws Exception {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.addBatch("UPDATE things SET price = price");
            statement.addBatch(sql);
            statement.addBatch("UPDATE things SET price = price");
            return statement.executeBatch();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
