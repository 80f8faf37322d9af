// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.master;

import io.multimed.engine.sql.SchemaChange;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Captures changes of the schema in WriteSets (architecture 6.3). DDL that the engine commits by itself is announced in
 * a WriteSet before it runs, and recorded in another one afterwards; in between, satellites do not answer for the
 * objects concerned. DDL that could not be recorded stays pending. Stateless.
 */
public interface DdlCapture {
    /**
     * Adds a statement to the open transaction's WriteSet, which every satellite runs at its position in the commit
     * order.
     */
    void shareStatement(Connection openTransaction, String sql) throws SQLException;

    /**
     * Returns the change without the names that denote temporary tables of the session, of which satellites know
     * nothing.
     *
     * @param session a connection without an open transaction
     * @return null if the statement concerns only temporary tables
     */
    @Nullable
    SchemaChange withoutTemporary(Connection session, SchemaChange change);

    /**
     * Announces a statement that changes the schema and is committed by the engine itself: puts the objects that
     * satellites must not answer for until {@link #recordDdl} into the open transaction's WriteSet. The statement runs
     * when that WriteSet is published.
     *
     * @param statement a number that no other statement has while this middleware runs
     * @return whether there is anything to announce; if not, no transaction is open
     */
    boolean announceDdl(Connection openTransaction, SchemaChange change, long statement) throws SQLException;

    /**
     * Sets whether DDL of this connection is recorded as it happens, or later by {@link #recordDdl}: statements that
     * cannot run in a transaction have no WriteSet. The connection is in auto-commit.
     *
     * @param epoch of the middleware that owns the master
     */
    void deferDdl(Connection master, boolean deferred, long epoch) throws SQLException;

    /**
     * Adds the schema changes that satellites lack to the open transaction's WriteSet. The statement may have failed
     * after a part of its changes.
     *
     * @param change the change according to the statement's text, for engines that do not report changes themselves;
     *     null if the text does not show it
     * @param statement the number with which the statement was announced
     */
    void recordDdl(Connection openTransaction, @Nullable SchemaChange change, long statement) throws SQLException;

    /**
     * Ends the sessions of pending DDL whose connections were lost, and announces the pending DDL, before
     * {@link #recordPendingDdl}.
     *
     * @return whether there is anything to announce; if not, no transaction is open
     */
    boolean announcePendingDdl(Connection openTransaction, UnrecordedDdl pending) throws SQLException;

    /**
     * Records the DDL that {@link #recordDdl} could not record, with shorter waits for locks.
     *
     * @throws SQLException also if this is not possible yet: the connection is unusable, and a later call completes it
     */
    void recordPendingDdl(Connection openTransaction, UnrecordedDdl pending) throws SQLException;
}
