// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.execution;

import io.multimed.engine.dialect.ErrorClassifier;
import io.multimed.protocol.response.Response;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * Runs the first statement of a transaction. If only the prepared plan of the statement was outdated, the transaction
 * is rolled back and the statement runs again: nothing of the transaction is lost.
 */
final class FirstStatement {
    private FirstStatement() {}

    /** An execution that may be repeated after a rollback. */
    @FunctionalInterface
    interface Execution {
        Response run() throws SQLException;
    }

    static Response run(ErrorClassifier errors, Connection connection, Execution execution) throws SQLException {
        try {
            return execution.run();
        } catch (SQLException e) {
            if (!errors.isStalePlan(e)) {
                throw e;
            }
            connection.rollback();
            return execution.run();
        }
    }
}
