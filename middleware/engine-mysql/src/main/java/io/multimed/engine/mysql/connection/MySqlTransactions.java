// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.dialect.TransactionSettings;
import java.sql.Connection;
import java.sql.SQLException;

/** Sets isolation level and access mode of transactions in sessions of MariaDB and MySQL. */
public final class MySqlTransactions implements TransactionSettings {
    private final boolean beginKeepsModes;

    /** @param beginKeepsModes as {@link #beginKeepsModes()}: on MySQL, not on MariaDB */
    public MySqlTransactions(boolean beginKeepsModes) {
        this.beginKeepsModes = beginKeepsModes;
    }

    @Override
    public boolean beginKeepsModes() {
        return beginKeepsModes;
    }

    @Override
    public void beginDescription(Connection connection) throws SQLException {
        connection.setAutoCommit(true);
    }

    /**
     * Sets the level on the driver's connection. The pool does not notice, and therefore does not reset the level at
     * each return. The driver remembers the level that it has set, and sends nothing if the level is the same.
     */
    @Override
    public void isolate(Connection connection, int isolation, int present) throws SQLException {
        connection.unwrap(JdbcConnection.class).setTransactionIsolation(isolation);
    }

    /**
     * Consults the flag that the engine reports with each answer: only a statement that uses a table of a transactional
     * storage engine begins a transaction. An error has no flag.
     */
    @Override
    public boolean hasBegun(Connection connection, boolean failed) throws SQLException {
        if (failed) {
            Queries.execute(connection, "DO 0");
        }
        return connection
                .unwrap(JdbcConnection.class)
                .getSession()
                .getServerSession()
                .inTransactionOnServer();
    }

    @Override
    public boolean isReadOnlyInAutoCommit() {
        return true;
    }

    /** Sets the mode of the whole session: DDL commits the open transaction, and runs under the session's mode. */
    @Override
    public void forbidCommitted(Connection connection, boolean forbidden) throws SQLException {
        Queries.execute(connection, "SET SESSION TRANSACTION READ " + (forbidden ? "ONLY" : "WRITE"));
    }

    /** InnoDB would otherwise take the snapshot at the first read of a table. */
    @Override
    public void beginSnapshot(Connection connection) throws SQLException {
        Queries.execute(connection, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    }

    @Override
    public boolean takesSnapshotAtFirstStatement() {
        return false;
    }

    /** At a read, MariaDB collects the open transactions one by one while others commit. */
    @Override
    public boolean mayTakeUnorderedSnapshots(Connection connection) throws SQLException {
        return MySqlServer.isMariaDb(connection);
    }
}
