// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.extraction.Receipt;
import io.multimed.engine.writeset.Change;
import io.multimed.engine.writeset.Change.FormChange;
import io.multimed.engine.writeset.Change.RowChange;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.Spill;
import io.multimed.engine.writeset.WriteSet;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows of {@code multimed.write_set}, ordered by SCN: one row for each change, or a single row without a change
 * for a WriteSet that is empty or spilled. Does not close the result set.
 */
final class WriteSetReader {
    private final ResultSet rows;
    private final Map<Receipt, WriteSet> found = new LinkedHashMap<>();

    /** @param place the position of the change in its WriteSet */
    private record Placed(long place, Change change) {}

    WriteSetReader(ResultSet rows) {
        this.rows = rows;
    }

    /** Returns the WriteSets in the order of their SCNs. */
    List<WriteSet> all() throws SQLException {
        return List.copyOf(byReceipt().values());
    }

    /**
     * Returns the WriteSets by their receipts, in the order of their SCNs. A WriteSet that cannot be read is included
     * as {@link WriteSet#unreadable}.
     */
    Map<Receipt, WriteSet> byReceipt() throws SQLException {
        boolean more = rows.next();
        while (more) {
            more = readOne();
        }
        return found;
    }

    /** Reads the rows of one WriteSet. Returns whether rows of another one follow. */
    private boolean readOne() throws SQLException {
        Scn scn = new Scn(rows.getLong("scn"));
        Receipt receipt = new Receipt(rows.getLong("session_id"), rows.getInt("sequence"));
        Spill spill = spill();
        List<Placed> placed = new ArrayList<>();
        int bytes = 0;
        boolean more = true;
        String trouble = null;
        while (more && rows.getLong("scn") == scn.value()) {
            try {
                if (rows.getString("kind") != null) {
                    Change change = change(rows);
                    bytes += size(change);
                    placed.add(new Placed(rows.getLong("n"), change));
                }
            } catch (UnreadableException | RuntimeException e) {
                trouble = e.toString();
            }
            more = rows.next();
        }
        if (trouble != null) {
            // The transaction may be committed: the commit order continues, and the satellites must be seeded again.
            found.put(receipt, WriteSet.unreadable(scn, trouble));
            return more;
        }
        // The rows mostly arrive in this order; the engine would write a temporary file to sort them.
        placed.sort(Comparator.comparingLong(Placed::place));
        List<Change> changes = placed.stream().map(Placed::change).toList();
        found.put(receipt, new WriteSet(scn, changes, spill, bytes));
        return more;
    }

    /** Returns the reference to a spilled WriteSet; null if its changes are in these rows. */
    private @Nullable Spill spill() throws SQLException {
        int spilled = rows.getInt("spilled");
        if (spilled == 0) {
            return null;
        }
        long transaction = Long.parseUnsignedLong(rows.getString("transaction_id"));
        return new Spill(0, transaction, spilled, rows.getBoolean("ddl"));
    }

    /**
     * Reads a row of {@code multimed.captured}.
     *
     * @throws SQLException XX001 if the kind of the change is unknown
     */
    static Change change(ResultSet row) throws SQLException {
        long relation = row.getLong("relation");
        return switch (row.getString("kind")) {
            case "R" -> new RowChange(relation, text(row, "before_row"), text(row, "after_row"));
            case "F" -> new FormChange(relation, text(row, "after_row"));
            case "S" -> new StatementChange(utf8(row, "before_row"), utf8(row, "after_row"));
            default ->
                throw new UnreadableException(
                        "a captured change has the unknown kind %s: the triggers are not of this version"
                                .formatted(row.getString("kind")));
        };
    }

    /** Reports a row whose format is not that of the triggers. */
    private static final class UnreadableException extends SQLException {
        private static final long serialVersionUID = 1;

        UnreadableException(String message) {
            super(message, "XX001");
        }
    }

    private static String utf8(ResultSet row, String column) throws SQLException {
        return new String(row.getBytes(column), UTF_8);
    }

    /** Returns a captured row as text with one character for each byte; see {@code RowText}. */
    static @Nullable String text(ResultSet row, String column) throws SQLException {
        byte[] bytes = row.getBytes(column);
        return bytes == null ? null : new String(bytes, ISO_8859_1);
    }

    /** Returns the size of a captured row in bytes; 0 for other changes. */
    static int size(Change change) {
        return change instanceof RowChange row ? length(row.before()) + length(row.after()) : 0;
    }

    private static int length(@Nullable String text) {
        return text == null ? 0 : text.length();
    }
}
