package io.multimed.engine.mysql.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.dialect.TransactionSettings;
import java.sql.Connection;
import java.sql.SQLException;

/** Sets the transactions of the family's sessions. */
public final class MySqlTransactions implements TransactionSettings {
    /** Applies to the next statement, which is a transaction by itself. */
    @Override
    public void beginRead(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
        forbidChanges(connection);
    }

    /** Behind the pool's back, which would set it back each time: the driver knows what it has set last. */
    @Override
    public void isolate(Connection connection, int isolation, int present) throws SQLException {
        connection.unwrap(JdbcConnection.class).setTransactionIsolation(isolation);
    }

    @Override
    public void forbidCommitted(Connection connection, boolean forbidden) throws SQLException {
        Queries.run(connection, "SET SESSION TRANSACTION READ " + (forbidden ? "ONLY" : "WRITE"));
    }
}
