// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.log;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.master.Retention;
import io.multimed.engine.master.SealedLog;
import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The receipts of commits, {@code multimed.receipt}. There are no sealed WriteSets: standbys read the engine's own log,
 * which the engine keeps for them.
 */
public final class Receipts implements SealedLog {
    /** Maximum number of receipts that one call removes. */
    private static final int MAX_REMOVED = 20_000;

    @Override
    public Scn base(Connection master) {
        return Scn.ZERO;
    }

    @Override
    public Scn resume(Connection master) throws SQLException {
        return PositionForce.position(master);
    }

    /**
     * Returns the WriteSets of all receipts: a receipt contains a position before its COMMIT, which may precede the end
     * of an earlier group. Their SCN is not known: see {@link WriteSet#inLog}.
     */
    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException {
        Map<Receipt, WriteSet> found = new HashMap<>();
        try (Statement statement = master.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT u.* FROM multimed.receipt, unnest(session_ids, sequences) u")) {
            while (rows.next()) {
                found.put(new Receipt(rows.getLong(1), rows.getInt(2)), WriteSet.inLog(true));
            }
        }
        Queries.end(master);
        return found;
    }

    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) {
        return List.of();
    }

    /** Returns the present position as the SCN of each commit: a node that has replayed it shows the commit. */
    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException {
        Map<Receipt, Scn> found = new HashMap<>();
        try (PreparedStatement statement = master.prepareStatement(
                "SELECT u.*, "
                        + Positions.number("pg_catalog.pg_current_wal_flush_lsn()")
                        + " FROM multimed.receipt, unnest(session_ids, sequences) u (session_id, sequence) WHERE (session_id, sequence) IN (SELECT * FROM unnest(?::bigint[], ?::int[]))")) {
            statement.setObject(
                    1, receipts.stream().mapToLong(Receipt::sessionId).toArray());
            statement.setObject(2, receipts.stream().mapToInt(Receipt::sequence).toArray());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    found.put(new Receipt(rows.getLong(1), rows.getInt(2)), new Scn(rows.getLong(3)));
                }
            }
        }
        Queries.end(master);
        return found;
    }

    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        throw new SQLException("the rows of this WriteSet are in the engine's log only", "0A000");
    }

    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) throws SQLException {
        try (PreparedStatement remove = master.prepareStatement(
                "DELETE FROM multimed.receipt WHERE ctid IN (SELECT r.ctid FROM multimed.receipt r WHERE r.lsn <= '0/0'::pg_lsn + ?::numeric LIMIT ?)")) {
            remove.setLong(1, retention.old().value());
            remove.setInt(2, MAX_REMOVED);
            remove.execute();
        }
        Queries.end(master);
        return Scn.ZERO;
    }
}
