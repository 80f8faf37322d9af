// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.extraction.SealResult;
import io.multimed.engine.extraction.SessionFate;
import io.multimed.engine.extraction.SharedCommit;
import io.multimed.engine.extraction.WriteSetExtractor;
import io.multimed.engine.postgresql.master.PostgresExtractor;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * Records what a transaction has done, and commits, in one round trip. The position of the commit in the log becomes
 * known when the log is forced ({@link PositionForce}). The COMMIT is the last statement of the message, because a
 * failure of a later one would look like a failure of the commit; only a lone commit with a receipt asks for its
 * position in the same message.
 */
public final class ReceiptExtractor implements WriteSetExtractor {
    /** Classes of errors of a server or a session, which say nothing about a transaction. */
    private static final Set<String> OF_NO_TRANSACTION = Set.of("53", "54", "57", "58", "XX");

    private final CommitRecord record;

    public ReceiptExtractor(CommitRecord record) {
        this.record = record;
    }

    @Override
    public boolean mayRunCode() {
        return true;
    }

    @Override
    public boolean leavesSessions() {
        return true;
    }

    @Override
    public boolean prepareCommit(Connection open) throws SQLException {
        return record.prepare(open);
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return sealAndCommit(open, receipt, new SessionFate(true));
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        return fate.isUnchanged() && record.recordsRows(open)
                ? Optional.of(record.commitRows(open, List.of(receipt), fate, false))
                : commit(open, List.of(receipt), fate);
    }

    /**
     * If the statement behind the COMMIT fails, for example because of a cancel request, the receipt tells whether the
     * transaction has committed. Without receipts, the position is read by the publisher.
     */
    @Override
    public SealResult sealAndCommitDurably(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        boolean rowsOnly = fate.isUnchanged() && record.recordsRows(open);
        if (!record.isWritten()) {
            return new SealResult(
                    rowsOnly
                            ? Optional.of(record.commitRows(open, List.of(receipt), fate, true))
                            : sealAndCommit(open, receipt, fate),
                    false);
        }
        if (rowsOnly) {
            return commitRowsDurably(open, receipt, fate);
        }
        String sql = record.commitDurably(open, fate.isKept());
        try (PreparedStatement commit = open.prepareStatement(sql)) {
            record.bind(commit, 1, List.of(receipt), fate.isKept());
            executeDurably(open, commit, sql);
            return durable(commit, fate);
        }
    }

    private SealResult commitRowsDurably(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        String sql = record.commitRowsDurably(fate);
        try (PreparedStatement commit = open.prepareStatement(sql)) {
            record.bindRows(commit, 1, List.of(receipt));
            executeDurably(open, commit, sql);
            return atPosition(commit, Optional.of(WriteSet.inLog(false)));
        }
    }

    /** @throws IllegalStateException if the transaction may have committed before the error */
    private static void executeDurably(Connection open, PreparedStatement commit, String sql) throws SQLException {
        try {
            PostgresExtractor.execute(commit, sql.startsWith(PostgresExtractor.HIDE_PARAMETERS));
        } catch (SQLException e) {
            boolean ended = open.unwrap(BaseConnection.class).getTransactionState() == TransactionState.IDLE;
            if (ended
                    && OF_NO_TRANSACTION.contains(
                            String.valueOf(e.getSQLState()).substring(0, 2))) {
                throw unreadable(e);
            }
            throw e;
        }
    }

    private static SealResult durable(PreparedStatement commit, SessionFate fate) {
        try {
            Optional<WriteSet> writeSet;
            try (ResultSet row = CommitRecord.row(commit, "changed")) {
                writeSet = CommitRecord.read(commit.getConnection(), row, fate);
            }
            return atPosition(commit, writeSet);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    private static SealResult atPosition(PreparedStatement commit, Optional<WriteSet> writeSet) {
        try (ResultSet row = CommitRecord.row(commit, "position")) {
            boolean durable = row.getBoolean("durable");
            Scn position = new Scn(row.getLong("position"));
            return new SealResult(durable ? writeSet.map(found -> found.at(position)) : writeSet, durable);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    private static IllegalStateException unreadable(SQLException e) {
        return new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
    }

    Optional<WriteSet> commit(Connection open, List<Receipt> receipts, SessionFate fate) throws SQLException {
        String sql = record.commit(open, fate.isKept());
        try (PreparedStatement commit = open.prepareStatement(sql)) {
            record.bind(commit, 1, receipts, fate.isKept());
            PostgresExtractor.execute(commit, sql.startsWith(PostgresExtractor.HIDE_PARAMETERS));
            return committed(commit, fate);
        }
    }

    /** @throws IllegalStateException if the row cannot be read: by then the transaction has committed */
    private static Optional<WriteSet> committed(PreparedStatement commit, SessionFate fate) {
        try (ResultSet row = CommitRecord.row(commit, "changed")) {
            return CommitRecord.read(commit.getConnection(), row, fate);
        } catch (SQLException e) {
            throw unreadable(e);
        }
    }

    @Override
    public Optional<PiggybackCommit> piggybackCommit() {
        return Optional.of(new ReceiptPiggyback(record));
    }

    @Override
    public Optional<SharedCommit> sharedCommit() {
        return Optional.of(new ReceiptSharedCommit(this, record));
    }

    @Override
    public boolean commitsAreDurable() {
        return false;
    }
}
