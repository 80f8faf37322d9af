package io.multimed.engine.postgresql.connection;

import io.multimed.engine.dialect.TransactionSettings;
import io.multimed.engine.postgresql.sql.PostgresTransactionStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/** Sets the transactions of PostgreSQL's sessions. */
public final class PostgresTransactions implements TransactionSettings {
    @Override
    public boolean hasTransaction(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState() != TransactionState.IDLE;
    }

    @Override
    public void isolateOnce(Connection connection, int isolation) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION ISOLATION LEVEL " + PostgresTransactionStatements.words(isolation));
        }
    }

    @Override
    public void keepSnapshot(Connection connection) throws SQLException {
        isolateOnce(connection, Connection.TRANSACTION_REPEATABLE_READ);
    }
}
