package io.multimed.engine.postgresql.connection;

import io.multimed.engine.dialect.TransactionSettings;
import io.multimed.engine.postgresql.sql.PostgresTransactionStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.postgresql.jdbc.AutoSave;

/** Sets isolation level and access mode of transactions in PostgreSQL's sessions. */
public final class PostgresTransactions implements TransactionSettings {
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

    /** Conservative: the driver undoes and repeats a statement only if its result has changed its form. */
    @Override
    public void retryStalePlans(Connection connection, boolean retry) throws SQLException {
        connection.unwrap(PGConnection.class).setAutosave(retry ? AutoSave.CONSERVATIVE : AutoSave.NEVER);
    }
}
