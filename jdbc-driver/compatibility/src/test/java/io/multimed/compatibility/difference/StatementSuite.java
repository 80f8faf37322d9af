// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Compares statements of every kind, in each way to execute them. */
final class StatementSuite {
    private final Comparisons comparisons;

    StatementSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    /** The same script on both, executed by one of the ways; the data is fresh. */
    void run(Way way, Connection engines, Connection ours) throws IOException {
        int number = 0;
        for (String sql : comparisons.family().statements(way)) {
            String name = "%s %d %s".formatted(way, ++number, sql);
            comparisons.compare(name, engines, ours, connection -> way.run(connection, sql));
        }
    }

    enum Way {
        EXECUTE {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement()) {
                    return results(statement, statement.execute(sql));
                }
            }
        },
        PREPARED {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    return results(statement, statement.execute());
                }
            }
        },
        QUERY {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement();
                        ResultSet rows = statement.executeQuery(sql)) {
                    return Rendering.rows(rows) + warnings(statement);
                }
            }
        },
        UPDATE {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement()) {
                    return statement.executeUpdate(sql) + warnings(statement);
                }
            }
        },
        LARGE_UPDATE {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    return statement.executeLargeUpdate() + warnings(statement);
                }
            }
        },
        KEYS {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement()) {
                    boolean rows = statement.execute(sql, Statement.RETURN_GENERATED_KEYS);
                    return rows + " " + statement.getUpdateCount() + " " + keys(statement) + warnings(statement);
                }
            }
        },
        KEY_COLUMNS {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (PreparedStatement statement = connection.prepareStatement(sql, new String[] {"id"})) {
                    boolean rows = statement.execute();
                    return rows + " " + statement.getUpdateCount() + " " + keys(statement) + warnings(statement);
                }
            }
        },
        BATCH {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    statement.addBatch();
                    statement.addBatch();
                    return Rendering.value(statement.executeBatch()) + warnings(statement);
                }
            }
        },
        SCRIPT {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement()) {
                    statement.addBatch(sql);
                    return Rendering.value(statement.executeLargeBatch()) + warnings(statement);
                }
            }
        },
        TRANSACTION {
            @Override
            String run(Connection connection, String sql) throws Exception {
                connection.setAutoCommit(false);
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    String outcome = results(statement, statement.execute());
                    connection.commit();
                    return outcome;
                } finally {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            }
        },
        LIMITED {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement()) {
                    statement.setMaxRows(1);
                    statement.setFetchSize(1);
                    return results(statement, statement.execute(sql));
                }
            }
        },
        SCROLLED {
            @Override
            String run(Connection connection, String sql) throws Exception {
                try (Statement statement = connection.createStatement(
                                ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY);
                        ResultSet rows = statement.executeQuery(sql)) {
                    return Navigation.of(rows);
                }
            }
        };

        abstract String run(Connection connection, String sql) throws Exception;
    }

    /** Returns all results in order. */
    static String results(Statement statement, boolean first) throws SQLException {
        StringBuilder text = new StringBuilder();
        boolean rows = first;
        while (rows || statement.getUpdateCount() != -1) {
            text.append(rows ? Rendering.rows(statement.getResultSet()) : "count " + statement.getUpdateCount())
                    .append('\n');
            rows = statement.getMoreResults();
        }
        return text + warnings(statement);
    }

    private static String keys(Statement statement) throws SQLException {
        try (ResultSet keys = statement.getGeneratedKeys()) {
            return Rendering.rows(keys);
        }
    }

    private static String warnings(Statement statement) {
        return " warnings: " + Rendering.outcome(statement, Statement::getWarnings);
    }
}
