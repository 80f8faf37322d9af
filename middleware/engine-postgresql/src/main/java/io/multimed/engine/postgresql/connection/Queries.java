// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Runs short internal queries. The caller owns the connections and statements. */
public final class Queries {
    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private Queries() {}

    /** Reads one row. */
    public interface RowReader<T> {
        /** Returns the value of the row on which the result is positioned. */
        T read(ResultSet row) throws SQLException;
    }

    /** Returns the value that a query's only row contains, and commits. On an error the transaction remains open. */
    public static <T> T single(Connection connection, String query, RowReader<T> reader) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            T value = reader.read(rows);
            end(connection);
            return value;
        }
    }

    /** Returns the number that a query's only row contains. */
    public static long number(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }

    /** Returns the first column of a query's rows. */
    public static List<String> texts(Statement statement, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }

    /** Commits, unless the connection is in auto-commit. */
    public static void end(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }

    /** Rolls back, unless the connection is in auto-commit. */
    public static void cancel(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
    }

    /** Returns whether the error is lock_not_available (55P03): after a lock_timeout, or immediately with NOWAIT. */
    public static boolean isLockNotAvailable(SQLException failure) {
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
    }
}
