// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

import io.multimed.engine.extraction.CapturedChanges;
import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.LargeRowChange;
import io.multimed.engine.writeset.Spill;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/**
 * Reads the pieces of one spilled WriteSet (architecture 4.3). A change that continues in the next piece is assembled
 * in memory; the seal's functions limit it to 64 MB. The large columns of a {@link LargeRowChange} are passed on piece
 * by piece.
 */
final class SpilledPieces {
    /** Number of pieces, of 128 kB at most, that the driver fetches at a time. */
    private static final int FETCHED = 64;

    private final PieceConsumer consumer;
    /** The beginning of a change that continues in the next piece. */
    private final ByteArrayOutputStream begun = new ByteArrayOutputStream();

    /** Number of pieces that are still to come for the columns of the preceding large row. */
    private int content;

    SpilledPieces(PieceConsumer consumer) {
        this.consumer = consumer;
    }

    /**
     * Passes all pieces to the consumer and returns their number. The connection is not in auto-commit, so that the
     * driver fetches them in portions. The caller ends the transaction.
     */
    int read(Connection master, Spill spill) throws SQLException {
        String query = "SELECT continues, rows FROM multimed.spilled_%d WHERE xid = ?::text::xid8 ORDER BY piece"
                .formatted(spill.place());
        int read = 0;
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setFetchSize(FETCHED);
            statement.setString(1, Long.toUnsignedString(spill.transaction()));
            try (ResultSet rows = statement.executeQuery()) {
                for (; rows.next(); read++) {
                    piece(rows.getBoolean(1), rows.getBytes(2));
                }
            }
        }
        return read;
    }

    private void piece(boolean continues, byte[] bytes) throws SQLException {
        if (content > 0) {
            content--;
            consumer.content(bytes);
        } else if (continues) {
            begun.writeBytes(bytes);
        } else if (begun.size() > 0) {
            begun.writeBytes(bytes);
            changes(begun.toByteArray());
            begun.reset();
        } else {
            changes(bytes);
        }
    }

    /** Parses complete changes. If the last one is a large row, the next pieces are the bytes of its columns. */
    private void changes(byte[] text) throws SQLException {
        List<Change> changes = CapturedChanges.parse(text);
        consumer.receive(changes);
        if (!changes.isEmpty() && changes.get(changes.size() - 1) instanceof LargeRowChange large) {
            content = large.pieces();
        }
    }
}
