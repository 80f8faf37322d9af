// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.SQLException;

/** What the transactions of benchmarks do after errors. */
final class Transactions {
    /** Maximum number of repetitions of a transaction that conflicts with others. */
    private static final int TRIES = 20;

    /** A transaction that can be repeated. */
    @FunctionalInterface
    interface Body {
        void execute() throws SQLException;
    }

    private Transactions() {}

    /** Rolls back after an error; a failure to do so is added to the error. */
    static void abandon(Connection connection, SQLException cause) {
        try {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        } catch (SQLException e) {
            cause.addSuppressed(e);
        }
    }

    /**
     * Runs a transaction, and repeats it after a conflict with another one (SQLState class 40), as applications do. The
     * time of all tries counts.
     */
    static void repeat(Connection connection, Body body) throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try {
                body.execute();
                return;
            } catch (SQLException e) {
                abandon(connection, e);
                if (attempt == TRIES || !String.valueOf(e.getSQLState()).startsWith("40")) {
                    throw e;
                }
            }
        }
    }
}
