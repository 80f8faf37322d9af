// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.master.PieceConsumer;
import io.multimed.engine.master.Retention;
import io.multimed.engine.master.SealedLog;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads and drops the rows of {@code multimed.sealed} and {@code multimed.captured}. */
public final class MySqlSealedLog implements SealedLog {
    /** Maximum number of changes in a piece of a spilled WriteSet. */
    private static final int PIECE_CHANGES = 500;

    /** Size of the captured text above which a piece ends. */
    private static final int PIECE_BYTES = 1 << 18;

    /** SQLState: the WriteSets are no longer kept, so that the satellite must be seeded. */
    private static final String GONE = "XX001";

    @Override
    public Scn base(Connection master) throws SQLException {
        return new Scn(number(master, "SELECT scn FROM multimed.base"));
    }

    /**
     * Sets the auto-increment key of {@code multimed.sealed} to the SCN after the last one, so that SCNs of
     * transactions that were rolled back are assigned again.
     */
    @Override
    public Scn resume(Connection master) throws SQLException {
        Scn last = new Scn(
                Queries.number(
                        master,
                        "SELECT GREATEST(b.scn, COALESCE((SELECT MAX(s.scn) FROM multimed.sealed s), 0)) FROM multimed.base b"));
        Queries.execute(
                master,
                "ALTER TABLE multimed.sealed AUTO_INCREMENT = " + last.next().value());
        Queries.end(master);
        return last;
    }

    @Override
    public Map<Receipt, WriteSet> sealedAfter(Connection master, Scn after) throws SQLException {
        try (PreparedStatement statement =
                master.prepareStatement("SELECT * FROM multimed.write_set WHERE scn > ? ORDER BY scn")) {
            statement.setLong(1, after.value());
            Map<Receipt, WriteSet> found;
            try (ResultSet rows = statement.executeQuery()) {
                found = new WriteSetReader(rows).byReceipt();
            }
            Queries.end(master);
            return found;
        }
    }

    /**
     * Reads the base and the WriteSets in one snapshot, so that a concurrent {@link #drop} cannot leave a gap.
     *
     * @throws SQLException XX001 if some of the WriteSets have been dropped
     */
    @Override
    public List<WriteSet> sealed(Connection master, Scn after, Scn upTo, int limit) throws SQLException {
        String query = """
                SELECT w.* FROM (SELECT scn FROM multimed.sealed WHERE scn > ? AND scn <= ? ORDER BY scn LIMIT ?) AS wanted
                JOIN multimed.write_set w ON w.scn = wanted.scn ORDER BY w.scn""";
        Queries.end(master);
        // Takes the snapshot, which still shows WriteSets that are dropped after it.
        checkBase(master, after);
        List<WriteSet> found;
        try (PreparedStatement statement = master.prepareStatement(query)) {
            statement.setLong(1, after.value());
            statement.setLong(2, upTo.value());
            statement.setInt(3, limit);
            try (ResultSet rows = statement.executeQuery()) {
                found = new WriteSetReader(rows).all();
            }
        }
        Queries.end(master);
        return found;
    }

    private static void checkBase(Connection master, Scn after) throws SQLException {
        Scn base = new Scn(Queries.number(master, "SELECT scn FROM multimed.base"));
        if (base.isAfter(after)) {
            throw new SQLException("the WriteSets after %s are dropped up to %s".formatted(after, base), GONE);
        }
    }

    @Override
    public Map<Receipt, Scn> sealed(Connection master, List<Receipt> receipts) throws SQLException {
        Map<Receipt, Scn> found = new HashMap<>();
        Set<Receipt> wanted = new HashSet<>(receipts);
        String sessions = receipts.stream()
                .map(receipt -> String.valueOf(receipt.sessionId()))
                .collect(Collectors.joining(","));
        if (!receipts.isEmpty()) {
            String query =
                    "SELECT session_id, sequence, scn FROM multimed.sealed WHERE session_id IN (" + sessions + ")";
            try (Statement statement = master.createStatement();
                    ResultSet rows = statement.executeQuery(query)) {
                while (rows.next()) {
                    Receipt receipt = new Receipt(rows.getLong(1), rows.getInt(2));
                    if (wanted.contains(receipt)) {
                        found.put(receipt, new Scn(rows.getLong(3)));
                    }
                }
            }
        }
        Queries.end(master);
        return found;
    }

    /**
     * Streams the rows: the connection can run nothing else before the last piece was passed on.
     *
     * @throws SQLException XX001 if the WriteSet has been dropped
     */
    @Override
    public void spilled(Connection master, Spill spill, PieceConsumer piece) throws SQLException {
        String query =
                "SELECT kind, relation, before_row, after_row FROM multimed.captured WHERE transaction_id = %s ORDER BY n"
                        .formatted(Long.toUnsignedString(spill.transaction()));
        Queries.end(master);
        // Takes the snapshot.
        checkKept(master, spill);
        try (Statement statement = master.createStatement()) {
            // Selects row-by-row transfer in the driver.
            statement.setFetchSize(Integer.MIN_VALUE);
            try (ResultSet rows = statement.executeQuery(query)) {
                readPieces(rows, piece);
            }
        }
        Queries.end(master);
    }

    private static void checkKept(Connection master, Spill spill) throws SQLException {
        String query =
                "SELECT COUNT(*) FROM multimed.base b JOIN multimed.sealed s ON s.scn > b.scn WHERE s.transaction_id = "
                        + Long.toUnsignedString(spill.transaction());
        if (Queries.number(master, query) == 0) {
            throw new SQLException("a large WriteSet is dropped on the master", GONE);
        }
    }

    private static void readPieces(ResultSet rows, PieceConsumer piece) throws SQLException {
        List<Change> changes = new ArrayList<>();
        int bytes = 0;
        while (rows.next()) {
            Change change = WriteSetReader.change(rows);
            changes.add(change);
            bytes += WriteSetReader.size(change);
            if (changes.size() == PIECE_CHANGES || bytes > PIECE_BYTES) {
                piece.receive(changes);
                changes = new ArrayList<>();
                bytes = 0;
            }
        }
        piece.receive(changes);
    }

    /** Also deletes the entries of clients' sessions that have ended. */
    @Override
    public Scn drop(Connection master, Scn applied, Retention retention) throws SQLException {
        Scn base = base(master);
        Scn next = new SealedLogCleanup(master, base, applied, retention).clean();
        if (next.isAfter(base)) {
            ForeignSessions.forgetEnded(master, "multimed.session", "multimed.role_session");
        }
        return next;
    }

    /** Reads a number in a transaction of its own. */
    private static long number(Connection master, String query) throws SQLException {
        long number = Queries.number(master, query);
        Queries.end(master);
        return number;
    }
}
