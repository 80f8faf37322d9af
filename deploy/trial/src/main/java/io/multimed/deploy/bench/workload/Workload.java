// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.SQLException;

/** An operation that the clients of a benchmark repeat. Immutable. */
public interface Workload {
    /** Creates the tables that are absent. Called once for each database, in auto-commit. */
    void prepare(Connection connection) throws SQLException;

    /**
     * Prepares the statements of a client.
     *
     * @param connection in auto-commit; belongs to the caller
     * @param number number of the client, from 0
     */
    Client open(Connection connection, int number) throws SQLException;

    /** One client. Used by one thread. */
    interface Client extends AutoCloseable {
        /**
         * Runs the operation once, including the end of its transaction.
         *
         * @throws SQLException also if the operation finds other rows than it must, so that a wrong answer cannot count
         * as a fast one
         */
        void execute() throws SQLException;

        /** Closes the statements. */
        @Override
        void close() throws SQLException;
    }
}
