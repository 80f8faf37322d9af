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
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Writes a receipt and commits, in one round trip. The position of the commit in the log becomes known when the log is
 * forced ({@link PositionForce}), or, where the commit waits for the disk itself, in the same message.
 */
public final class ReceiptExtractor implements WriteSetExtractor {
    static final String COLUMNS = "SELECT changed, ddl, held::varchar(10) AS held";
    static final String FINISH = " FROM multimed.finish(?, ?, ?, ?)";

    private static final String COMMIT = COLUMNS + FINISH + "; COMMIT";

    private static final String COMMIT_DURABLY = COLUMNS + ", " + PostgresExtractor.WAIT_FOR_DISK + " AS durable"
            + FINISH + "; COMMIT; SELECT " + Positions.number("pg_catalog.pg_current_wal_flush_lsn()");

    private final long epoch;

    public ReceiptExtractor(long epoch) {
        this.epoch = epoch;
    }

    @Override
    public boolean mayRunCode() {
        return true;
    }

    @Override
    public boolean prepareCommit(Connection open) throws SQLException {
        return PostgresExtractor.prepare(open);
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt) throws SQLException {
        return sealAndCommit(open, receipt, new SessionFate(true));
    }

    @Override
    public Optional<WriteSet> sealAndCommit(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        return commit(open, List.of(receipt), fate);
    }

    Optional<WriteSet> commit(Connection open, List<Receipt> receipts, SessionFate fate) throws SQLException {
        boolean hides = PostgresExtractor.mustHide(open);
        try (PreparedStatement finish =
                open.prepareStatement(hides ? PostgresExtractor.HIDE_PARAMETERS + COMMIT : COMMIT)) {
            bind(finish, 1, receipts, fate.isKept());
            PostgresExtractor.execute(finish, hides);
            try (ResultSet row = finish.getResultSet()) {
                return writeSet(finish, row, fate);
            }
        }
    }

    @Override
    public SealResult sealAndCommitDurably(Connection open, Receipt receipt, SessionFate fate) throws SQLException {
        boolean hides = PostgresExtractor.mustHide(open);
        try (PreparedStatement finish =
                open.prepareStatement(hides ? PostgresExtractor.HIDE_PARAMETERS + COMMIT_DURABLY : COMMIT_DURABLY)) {
            bind(finish, 1, List.of(receipt), fate.isKept());
            PostgresExtractor.execute(finish, hides);
            Optional<WriteSet> found;
            boolean durable;
            try (ResultSet row = finish.getResultSet()) {
                found = writeSet(finish, row, fate);
                durable = row.getString("durable") != null;
            }
            if (!durable || found.isEmpty()) {
                return new SealResult(found, durable);
            }
            boolean unused = finish.getMoreResults(); // the COMMIT
            unused = finish.getMoreResults();
            try (ResultSet position = finish.getResultSet()) {
                return new SealResult(Optional.of(found.get().at(Positions.read(position))), true);
            }
        }
    }

    /** Binds the parameters of multimed.finish, which begin at the parameter {@code first} of the statement. */
    void bind(PreparedStatement statement, int first, List<Receipt> receipts, boolean keep) throws SQLException {
        statement.setObject(
                first, receipts.stream().mapToLong(Receipt::sessionId).toArray());
        statement.setObject(
                first + 1, receipts.stream().mapToInt(Receipt::sequence).toArray());
        statement.setBoolean(first + 2, keep);
        statement.setLong(first + 3, epoch);
    }

    /** Reads the row of multimed.finish; empty if the transaction has changed nothing. */
    static Optional<WriteSet> writeSet(PreparedStatement finish, ResultSet row, SessionFate fate) throws SQLException {
        row.next();
        if (!fate.isKept()
                && (row.getString("held") != null || PostgresExtractor.isAnotherUsers(finish.getConnection()))) {
            fate.hold();
        }
        return row.getBoolean("changed") ? Optional.of(WriteSet.inLog(row.getBoolean("ddl"))) : Optional.empty();
    }

    @Override
    public Optional<PiggybackCommit> piggybackCommit() {
        return Optional.of(new ReceiptPiggyback(this));
    }

    @Override
    public Optional<SharedCommit> sharedCommit() {
        return Optional.of(new ReceiptSharedCommit(this));
    }

    @Override
    public boolean commitsAreDurable() {
        return false;
    }
}
