// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Sets isolation level and access mode of transactions that begin in an engine's session. Stateless. */
public interface TransactionSettings {
    /**
     * Sets the isolation level of a connection's next transactions, without a request to the engine if that can be
     * avoided.
     *
     * @param present the level that the pool has recorded for the connection
     */
    default void isolate(Connection connection, int isolation, int present) throws SQLException {
        if (isolation != present) {
            connection.setTransactionIsolation(isolation);
        }
    }

    /** Sets the isolation level of the transaction that begins now and, where the engine can, of no other one. */
    default void isolateOnce(Connection connection, int isolation) throws SQLException {
        isolate(connection, isolation, connection.getTransactionIsolation());
    }

    /**
     * Begins a transaction in which the engine refuses all changes. No transaction is open. The transaction must be
     * ended even if its only statement reads no row, because the mode applies until the end of a transaction.
     */
    default void beginRead(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        forbidChanges(connection);
    }

    /**
     * Begins a transaction for the description of a statement or of the catalog, which ends by a commit. No transaction
     * is open. Where {@link CatalogReader#describe} itself begins and ends one, switches to auto-commit.
     */
    default void beginDescription(Connection connection) throws SQLException {
        beginRead(connection);
    }

    /** Begins a transaction whose snapshot is that of now, at a level with one snapshot. Auto-commit is off. */
    default void beginSnapshot(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        }
    }

    /** Returns whether the first statement of a transaction takes its snapshot, even if the statement reads no row. */
    default boolean takesSnapshotAtFirstStatement() {
        return true;
    }

    /**
     * Returns whether two snapshots that the engine takes at reads may each miss a commit that the other one shows. The
     * snapshots of {@link #beginSnapshot} are always ordered.
     */
    default boolean mayTakeUnorderedSnapshots(Connection connection) throws SQLException {
        return false;
    }

    /** Makes the transaction that begins now, and no other on the same connection, read-only. */
    default void forbidChanges(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION READ ONLY");
        }
    }

    /**
     * Returns whether modes that SQL has set for the next transaction, or for the open one by its BEGIN, remain in
     * effect for a transaction that another BEGIN opens, before which the engine commits the open one.
     */
    default boolean beginKeepsModes() {
        return false;
    }

    /**
     * Requires that the open transaction has changed nothing, because it becomes read-only now: the engine would also
     * refuse what Multimed writes at the commit. Called for {@link
     * io.multimed.engine.sql.Classification.Trait#FORBIDS_CHANGES}.
     *
     * @throws SQLException 0A000 if it has changed something; the engine has then failed the transaction
     */
    default void requireUnchanged(Connection connection) throws SQLException {}

    /**
     * Returns whether the engine's own driver also refuses changes in auto-commit mode on a read-only connection; on
     * other engines Connection.setReadOnly concerns transactions only.
     */
    default boolean isReadOnlyInAutoCommit() {
        return false;
    }

    /**
     * Makes the transaction that begins now read-write, whatever mode the client has set for all transactions of a
     * pinned session.
     */
    default void allowChanges(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET TRANSACTION READ WRITE");
        }
    }

    /**
     * Makes the statements that the engine commits by itself read-only on this connection, or read-write again. Called
     * only for engines where SQL can set the mode of all transactions, see
     * {@link io.multimed.engine.sql.Classification.Kind#ALL_TRANSACTIONS}.
     */
    default void forbidCommitted(Connection connection, boolean forbidden) throws SQLException {}

    /**
     * Makes the engine and its driver forget all statements that the driver has prepared on a connection, and all that
     * SQL has prepared. A transaction may be open. No effect on engines whose driver prepares no statements.
     */
    default void discardPlans(Connection connection) throws SQLException {}

    /**
     * Returns whether a statement has begun a transaction in the engine, after auto-commit was switched off. Called
     * only for engines where SQL can set the modes of the next transaction, which remain until then.
     *
     * @param failed whether the statement has failed
     */
    default boolean hasBegun(Connection connection, boolean failed) throws SQLException {
        return true;
    }

    /**
     * Returns whether the transaction that was begun in an engine's session is still open, according to the engine's
     * driver; true if the driver does not know. A hidden statement may have ended it.
     */
    default boolean hasTransaction(Connection connection) throws SQLException {
        return true;
    }
}
