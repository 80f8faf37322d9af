// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.fuzz;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;

/**
 * An action of a client.
 *
 * @param client its number
 * @param texts of SQL; none for a method of JDBC
 */
record Step(int client, Does does, List<String> texts) {
    /** The kind of action. */
    enum Does {
        EXECUTE,
        PREPARE,
        BATCH,
        AUTO_COMMIT,
        NO_AUTO_COMMIT,
        COMMIT,
        ROLLBACK,
        UNDONE,
        READ_ONLY,
        READ_WRITE,
        RECONNECT
    }

    /** @throws SQLException of the engine or of Multimed */
    void run(Connection connection) throws SQLException {
        switch (does) {
            case EXECUTE -> execute(connection);
            case PREPARE -> prepare(connection);
            case BATCH -> batch(connection);
            case AUTO_COMMIT -> connection.setAutoCommit(true);
            case NO_AUTO_COMMIT -> connection.setAutoCommit(false);
            case COMMIT -> connection.commit();
            case ROLLBACK -> connection.rollback();
            case UNDONE -> undone(connection);
            case READ_ONLY -> connection.setReadOnly(true);
            case READ_WRITE -> connection.setReadOnly(false);
            case RECONNECT -> connection.close();
        }
    }

    private void execute(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(texts.get(0));
            while (statement.getMoreResults() || statement.getUpdateCount() != -1) {
                statement.getUpdateCount();
            }
        }
    }

    /** Executes the statement twice, because an engine's driver may use another protocol for the second execution. */
    private void prepare(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(texts.get(0))) {
            statement.execute();
            statement.execute();
        }
    }

    private void batch(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String text : texts) {
                statement.addBatch(text);
            }
            statement.executeBatch();
        }
    }

    private void undone(Connection connection) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            execute(connection);
        } finally {
            connection.rollback(before);
        }
    }

    @Override
    public String toString() {
        return "client %d: %s %s"
                .formatted(
                        client,
                        does.name().toLowerCase(java.util.Locale.ROOT).replace('_', ' '),
                        String.join("  ||  ", texts).replace("\n", "\\n").replace("\r", "\\r"));
    }
}
