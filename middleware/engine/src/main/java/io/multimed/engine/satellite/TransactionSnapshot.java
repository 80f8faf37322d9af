// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import io.multimed.engine.pool.OwnConnection;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * A snapshot in the form of an open transaction on a connection of its own. Each table is read below a savepoint that
 * is rolled back afterwards. The rollback releases the lock on the table or its definition, so that DDL waits for the
 * reading of one table at most.
 */
public abstract class TransactionSnapshot extends OwnConnection implements CopySnapshot {
    /** Limits the time for taking the snapshot. */
    private static final int BEGIN_MILLIS = 5_000;

    /** @param connection with auto-commit off */
    protected TransactionSnapshot(Connection connection) {
        super(connection);
    }

    /** Runs the statement that fixes the transaction's snapshot. */
    protected abstract void take() throws SQLException;

    /**
     * Returns a query with a row for each bucket that is not empty: its number, its number of rows, the sum of their
     * fingerprints.
     */
    protected abstract PreparedStatement sumsQuery(Relation table, int buckets) throws SQLException;

    /**
     * Returns a query whose rows are fetched a few at a time: the key's fingerprint, the row's fingerprint, the label;
     * ordered by the first two columns.
     */
    protected abstract PreparedStatement rowsQuery(Relation table, int buckets, Set<Integer> wanted)
            throws SQLException;

    @Override
    public final void begin() throws SQLException {
        connection.setNetworkTimeout(Runnable::run, BEGIN_MILLIS);
        take();
        connection.setNetworkTimeout(Runnable::run, 0);
    }

    @Override
    public final String version() throws SQLException {
        return connection.getMetaData().getDatabaseProductVersion();
    }

    /** Reads the definition as {@link #definition} returns it. */
    protected abstract String readDefinition(Relation table) throws SQLException;

    @Override
    public final String definition(Relation table) throws SQLException {
        return belowSavepoint(() -> readDefinition(table));
    }

    @Override
    public final Map<Integer, BucketSum> sums(Relation table, int buckets) throws SQLException {
        Map<Integer, BucketSum> found = new HashMap<>();
        return belowSavepoint(() -> {
            try (PreparedStatement query = sumsQuery(table, buckets);
                    ResultSet sums = query.executeQuery()) {
                while (sums.next()) {
                    found.put(sums.getInt(1), new BucketSum(sums.getLong(2), sums.getString(3)));
                }
            }
            return found;
        });
    }

    @Override
    public final void rows(Relation table, int buckets, Set<Integer> wanted, RowsReader reader) throws SQLException {
        belowSavepoint(() -> {
            try (PreparedStatement query = rowsQuery(table, buckets, wanted);
                    ResultSet rows = query.executeQuery()) {
                reader.read(() ->
                        rows.next() ? new RowPrint(rows.getString(1), rows.getString(2), rows.getString(3)) : null);
            }
            return true;
        });
    }

    @Override
    public final boolean isLost() {
        try {
            return connection.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    private interface Reading<T> {
        T read() throws SQLException;
    }

    /** Reads below a savepoint. The error of the reading, which tells why the connection was lost, is kept. */
    private <T> T belowSavepoint(Reading<T> reading) throws SQLException {
        Savepoint before = connection.setSavepoint();
        T result;
        try {
            result = reading.read();
        } catch (SQLException e) {
            try {
                connection.rollback(before);
            } catch (SQLException lost) {
                e.addSuppressed(lost);
            }
            throw e;
        }
        connection.rollback(before);
        return result;
    }
}
