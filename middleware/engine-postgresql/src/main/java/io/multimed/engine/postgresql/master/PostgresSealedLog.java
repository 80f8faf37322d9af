// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.master;

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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The log of sealed WriteSets: the view {@code multimed.sealed} over four tables that are used in turn, and the tables
 * {@code multimed.spilled_*} with the earlier parts of large WriteSets (architecture 4.3). Stateless; every method ends
 * its transaction.
 */
public final class PostgresSealedLog implements SealedLog {
    /** SQLState for WriteSets that have been dropped: the satellite that needs them must be seeded again. */
    private static final String GONE = "XX001";

    @Override
    public Scn base(Connection master) throws SQLException {
        return Queries.single(master, "SELECT scn FROM multimed.base", row -> new Scn(row.getLong(1)));
    }

    /**
     * Sets the sequence of SCNs to the last sealed one, so that numbers which failed transactions have taken are
     * assigned again.
     */
    @Override
    public Scn resume(Connection master) throws SQLException {
        return Queries.single(master, "SELECT multimed.resume()", row -> new Scn(row.getLong(1)));
    }

    /** Excludes session 0, the receipt of transactions that bypass the middleware. */
    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException {
        String query =
                "SELECT scn, session_id, sequence, rows, spill, pieces, xid, ddl FROM multimed.sealed WHERE scn > ? AND session_id <> 0";
        Map<Receipt, WriteSet> found = new HashMap<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Receipt receipt = new Receipt(rows.getLong("session_id"), rows.getInt("sequence"));
                    found.put(receipt, PostgresExtractor.read(rows));
                }
            }
        }
        Queries.end(master);
        return found;
    }

    /**
     * Reads ranges of at most {@code limit} SCNs, so that each query reads a small part of the index; most SCNs have a
     * row. Fails with XX001 if a part of the range has been dropped.
     */
    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        List<WriteSet> found = new ArrayList<>();
        for (Scn from = after; found.size() < limit && upTo.isAfter(from); ) {
            Scn to = new Scn(Math.min(upTo.value(), from.value() + limit)); // most SCNs have a row
            List<WriteSet> next = sealedBetween(master, from, to, limit - found.size());
            found.addAll(next);
            from = next.isEmpty() ? lastUnused(master, to, upTo) : to;
        }
        return found;
    }

    /**
     * Returns the last SCN before the next one that has a row: SQL may have set the sequence far ahead. Checks with the
     * same snapshot that no WriteSet of the range has been dropped.
     */
    private static Scn lastUnused(Connection master, Scn after, Scn upTo) throws SQLException {
        String query =
                "SELECT least(min(scn) - 1, %2$d), (SELECT b.scn FROM multimed.base b) FROM multimed.sealed WHERE scn > %1$d AND scn <= %2$d"
                        .formatted(after.value(), upTo.value());
        return Queries.single(master, query, row -> {
            checkBase(new Scn(row.getLong(2)), after);
            return new Scn(row.getLong(1));
        });
    }

    /** Returns the WriteSets of a range; checks with the same snapshot that none of them has been dropped. */
    private static List<WriteSet> sealedBetween(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        // One snapshot shows the base and the rows. The engine takes it when it has locked all tables, so that no table
        // can be truncated afterwards.
        String query = """
                SELECT b.scn AS base, s.* FROM multimed.base b LEFT JOIN (
                    SELECT scn, rows, spill, pieces, xid, ddl FROM multimed.sealed WHERE scn > ? AND scn <= ? ORDER BY scn LIMIT ?) s ON true
                ORDER BY s.scn""";
        List<WriteSet> found = new ArrayList<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            statement.setLong(2, upTo.value());
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    checkBase(new Scn(rows.getLong("base")), after);
                    if (rows.getLong("scn") > 0) {
                        found.add(PostgresExtractor.read(rows));
                    }
                }
            }
        }
        Queries.end(master);
        return found;
    }

    /** Fails if WriteSets after {@code after} have been dropped. */
    private static void checkBase(Scn base, Scn after) throws SQLException {
        if (base.isAfter(after)) {
            throw new SQLException("the WriteSets after %s are dropped up to %s".formatted(after, base), GONE);
        }
    }

    /** Passes the receipts as two arrays, so that one prepared statement serves any number of receipts. */
    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException {
        String query = """
                SELECT session_id, sequence, scn FROM multimed.sealed
                WHERE (session_id, sequence) IN (SELECT * FROM unnest(?::bigint[], ?::int[]))""";
        Map<Receipt, Scn> found = new HashMap<>();
        try (PreparedStatement statement = master.prepareStatement(query)) {
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

    /**
     * Compares the number of pieces with the number that was sealed; XX001 if they differ, because the table has been
     * emptied.
     */
    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        int read = new SpilledPieces(piece).read(master, spill);
        Queries.end(master);
        if (read != spill.pieces()) {
            throw new SQLException(
                    "a large WriteSet has %d pieces on the master, not %d: some are dropped"
                            .formatted(read, spill.pieces()),
                    GONE);
        }
    }

    /**
     * Empties whole tables by TRUNCATE, which leaves nothing for VACUUM. Tables whose locks are not available are
     * skipped until the next call.
     */
    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) throws SQLException {
        new SealedTables(master).drop(applied, retention);
        new SpillTables(master).drop(applied, retention);
        return base(master);
    }
}
