// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.RowsCommit;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Runs a statement and records its commit as one implicit transaction. The engine commits after the answer, so that the
 * position of the commit is not known yet: the log is forced afterwards, on the same connection if no other commit
 * waits for it.
 */
final class ReceiptPiggyback implements PiggybackCommit {
    private static final String WITHOUT_STANDBYS =
            "(pg_catalog.current_setting('synchronous_standby_names') = '')::pg_catalog.int4";

    private static final PositionForce FORCE = new PositionForce();

    private final CommitRecord record;

    ReceiptPiggyback(CommitRecord record) {
        this.record = record;
    }

    @Override
    public String text(String sql) {
        return sql + record.behindStatement();
    }

    /** Without receipts, a cancel request during the force would leave the outcome unknown. */
    @Override
    public void bind(PreparedStatement statement, int parameters, Receipt receipt, boolean durable)
            throws SQLException {
        record.bindBehind(statement, parameters + 1, receipt, durable && record.isWritten());
    }

    @Override
    public SealResult result(PreparedStatement executed, SessionFate fate) throws SQLException {
        if (!executed.getMoreResults()) {
            throw new SQLException("no commit was recorded for the statement", "XX000");
        }
        try (ResultSet row = CommitRecord.row(executed, "changed")) {
            boolean alone = row.getBoolean("alone");
            Optional<WriteSet> writeSet = CommitRecord.read(executed.getConnection(), row, fate);
            return writeSet.isEmpty() || !alone
                    ? new SealResult(writeSet, false)
                    : forced(executed.getConnection(), writeSet.get());
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
        }
    }

    @Override
    public Optional<RowsCommit> ofRows(Connection connection) throws SQLException {
        return record.recordsRows(connection) ? Optional.of(new RowsPiggyback(record)) : Optional.empty();
    }

    /** Forces the log, unless commits wait for standbys: the connection's settings do not. */
    static SealResult forced(Connection connection, WriteSet writeSet) throws SQLException {
        PositionForce.Forced forced = FORCE.force(connection, WITHOUT_STANDBYS);
        return forced.number() == 1
                ? new SealResult(Optional.of(writeSet.at(forced.scn())), true)
                : new SealResult(Optional.of(writeSet), false);
    }
}
