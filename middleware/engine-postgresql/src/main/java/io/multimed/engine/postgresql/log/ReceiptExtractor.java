// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.PiggybackCommit;
import io.multimed.engine.extraction.Receipt;
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
 * forced ({@link PositionForce}). The COMMIT is the last statement of the message: a failure of a later one would look
 * like a failure of the commit.
 */
public final class ReceiptExtractor implements WriteSetExtractor {
    static final String COLUMNS = "SELECT changed, ddl, held::varchar(10) AS held";
    static final String FINISH = " FROM multimed.finish(?, ?, ?, ?)";

    private static final String COMMIT = COLUMNS + FINISH + "; COMMIT";

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
            return committed(finish, fate);
        }
    }

    /** @throws IllegalStateException if the row cannot be read: by then the transaction has committed */
    private static Optional<WriteSet> committed(PreparedStatement finish, SessionFate fate) {
        try (ResultSet row = finish.getResultSet()) {
            return writeSet(finish, row, fate);
        } catch (SQLException e) {
            throw new IllegalStateException("the answer of a commit cannot be read: " + e.getMessage(), e);
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
