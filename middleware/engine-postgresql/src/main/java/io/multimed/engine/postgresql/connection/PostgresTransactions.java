// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.dialect.TransactionSettings;
import io.multimed.engine.postgresql.sql.PostgresTransactionStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Sets isolation level and access mode of transactions in PostgreSQL's sessions. */
public final class PostgresTransactions implements TransactionSettings {
    private static final String REQUIRE_UNCHANGED = """
            DO $$BEGIN
                IF pg_catalog.pg_current_xact_id_if_assigned() IS NOT NULL
                        OR pg_catalog.length(pg_catalog.current_setting('multimed.writeset', true)) OPERATOR(pg_catalog.>) 0 THEN
                    RAISE feature_not_supported USING MESSAGE = 'a transaction that has changed data cannot become read-only through Multimed: COMMIT the changes first, or leave this statement out';
                END IF;
            END$$""";

    /** Consults the transaction state that the engine reports with each answer: no round trip. */
    @Override
    public boolean hasTransaction(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    /** Sets the level of the current transaction only, by SET TRANSACTION, which must precede its first query. */
    @Override
    public void isolateOnce(Connection connection, int isolation) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + PostgresTransactionStatements.words(isolation));
        }
    }

    @Override
    public void requireUnchanged(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(REQUIRE_UNCHANGED);
        }
    }

    /**
     * The driver notices the engine's answer, and parses each statement again at its next use. Outside of transactions,
     * none is begun. In a transaction that has failed, the engine would refuse the statement.
     */
    @Override
    public void discardPlans(Connection connection) throws SQLException {
        TransactionState state = connection.unwrap(BaseConnection.class).getTransactionState();
        if (state == TransactionState.FAILED) {
            return;
        }
        boolean autoCommit = connection.getAutoCommit();
        boolean begins = !autoCommit && state == TransactionState.IDLE;
        if (begins) {
            connection.setAutoCommit(true);
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("DEALLOCATE ALL");
        } finally {
            if (begins) {
                connection.setAutoCommit(false);
            }
        }
    }
}
