// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compares batches with parameters: counts, keys and failures, in auto-commit and in a transaction, and the content of
 * the table after the batch.
 */
final class BatchSuite {
    /** The way in which the statement is prepared. */
    private interface Preparation {
        PreparedStatement of(Connection connection, String sql) throws SQLException;
    }

    private static final Map<String, Preparation> PREPARATIONS = new LinkedHashMap<>();
    private static final Map<String, List<Object[]>> ROWS = new LinkedHashMap<>();

    static {
        PREPARATIONS.put("plain", Connection::prepareStatement);
        PREPARATIONS.put(
                "keys", (connection, sql) -> connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS));
        PREPARATIONS.put(
                "key columns", (connection, sql) -> connection.prepareStatement(sql, new String[] {"id", "name"}));
        PREPARATIONS.put(
                "no such key column", (connection, sql) -> connection.prepareStatement(sql, new String[] {"nothing"}));
        ROWS.put("no rows", List.of());
        ROWS.put("one row", List.<Object[]>of(row(20, "twenty")));
        ROWS.put("three rows", List.of(row(21, "a"), row(22, "b"), row(23, "c")));
        ROWS.put("the second is wrong", List.of(row(31, "a"), row(1, "b"), row(33, "c")));
        ROWS.put("the last is wrong", List.of(row(41, "a"), row(42, "b"), row(43, null)));
        ROWS.put("all are the same", List.of(row(51, "a"), row(51, "a"), row(51, "a")));
        ROWS.put("wrong types", List.of(row(61, "a"), row("x", "b")));
    }

    private static Object[] row(Object... values) {
        return values;
    }

    private final Comparisons comparisons;

    BatchSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) {
        for (String sql : comparisons.family().batchStatements()) {
            PREPARATIONS.forEach((way, preparation) -> ROWS.forEach((rows, values) -> {
                String name = "%s, %s, %s".formatted(way, rows, sql);
                comparisons.compare(name, engines, ours, connection -> batch(connection, preparation, sql, values));
                comparisons.compare(
                        name + ", auto-commit",
                        engines,
                        ours,
                        connection -> undone(connection, preparation, sql, values));
            }));
        }
    }

    /** Runs the batch in a transaction that is rolled back. */
    private static String batch(Connection connection, Preparation preparation, String sql, List<Object[]> rows)
            throws SQLException {
        connection.setAutoCommit(false);
        try {
            return executed(connection, preparation, sql, rows) + left(connection);
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    /** Runs the batch in auto-commit, and deletes the inserted rows again. */
    private String undone(Connection connection, Preparation preparation, String sql, List<Object[]> rows)
            throws SQLException {
        try {
            return executed(connection, preparation, sql, rows) + left(connection);
        } finally {
            try (Statement statement = connection.createStatement()) {
                statement.execute("DELETE FROM things WHERE id >= 20");
                statement.execute("UPDATE things SET price = 1");
                statement.execute(comparisons.family().restoredParts());
            }
        }
    }

    private static String executed(Connection connection, Preparation preparation, String sql, List<Object[]> rows) {
        return Rendering.outcome(connection, same -> {
            try (PreparedStatement statement = preparation.of(same, sql)) {
                for (Object[] row : rows) {
                    statement.setObject(1, row[0]);
                    statement.setObject(2, row[1], Types.VARCHAR);
                    statement.addBatch();
                }
                String counts = Rendering.outcome(statement, Statement::executeBatch);
                String keys = Rendering.outcome(statement, Statement::getGeneratedKeys);
                String again = Rendering.outcome(statement, Statement::executeBatch);
                return "%s keys %s then %s, %s, keys %s"
                        .formatted(
                                counts,
                                keys,
                                again,
                                Rendering.outcome(statement, Statement::getUpdateCount),
                                Rendering.outcome(statement, Statement::getGeneratedKeys));
            }
        });
    }

    private static String left(Connection connection) {
        return " left "
                + Rendering.outcome(connection, same -> {
                    try (Statement statement = same.createStatement();
                            ResultSet rows = statement.executeQuery("SELECT * FROM things ORDER BY id")) {
                        return Rendering.rows(rows);
                    }
                });
    }
}
