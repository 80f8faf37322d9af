// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.writeset.Change.LargeColumn;
import io.multimed.engine.writeset.Change.LargeRowChange;
import io.multimed.engine.writeset.Relation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes one row that is too large to be held as one text (triggers-sql/README.md, "large rows"). The pieces of its
 * large columns are inserted into a temporary table of the satellite, and the satellite's engine assembles the values.
 * The old row is found by everything that the change contains of it: its key, its small columns and the hashes of its
 * large columns.
 */
final class LargeRowWriter {
    /** SQLState for a row that the satellite lacks: the satellite is no longer a copy and must be seeded again. */
    private static final String DIFFERENT = "XX001";

    private static final String BYTES = "pg_catalog.bytea";
    /** Creates the temporary table if necessary, and empties it. Values are stored uncompressed. */
    private static final String STAGE =
            "CREATE TEMPORARY TABLE IF NOT EXISTS multimed_large (place int, piece int, rows bytea) ON COMMIT DELETE ROWS;"
                    + " ALTER TABLE pg_temp.multimed_large ALTER COLUMN rows SET STORAGE EXTERNAL; TRUNCATE pg_temp.multimed_large";

    private static final String PUT = "INSERT INTO pg_temp.multimed_large VALUES (?, ?, ?)";
    /** The expression of a column's value, assembled from its pieces. */
    private static final String TOGETHER =
            "(SELECT string_agg(rows, ''::bytea ORDER BY piece) FROM pg_temp.multimed_large WHERE place = %d)";

    private final Connection satellite;
    private final Relation relation;
    private final LargeRowChange change;
    private final Map<String, LargeColumn> large = new HashMap<>();
    private final String table;

    /** Parameters of the statement that is being composed, in the order of their placeholders. */
    private final List<String> parameters = new ArrayList<>();

    /** Index of the column whose pieces arrive. */
    private int column;

    /** Number of pieces that have arrived for this column. */
    private int ofColumn;
    /** Number of pieces that have arrived for all columns. */
    private int arrived;

    LargeRowWriter(Connection satellite, Relation relation, LargeRowChange change) {
        this.satellite = satellite;
        this.relation = relation;
        this.change = change;
        this.table = Quoting.table(relation);
        change.columns().forEach(each -> large.put(each.name(), each));
    }

    /** Writes the row now if no pieces of it follow. */
    void begin() throws SQLException {
        if (change.pieces() == 0) {
            write();
            return;
        }
        try (Statement statement = satellite.createStatement()) {
            statement.execute(STAGE);
        }
    }

    /** Takes the next piece; writes the row with the last one. */
    void content(byte[] piece) throws SQLException {
        while (ofColumn == change.columns().get(column).pieces()) {
            column++;
            ofColumn = 0;
        }
        try (PreparedStatement put = satellite.prepareStatement(PUT)) {
            put.setInt(1, column);
            put.setInt(2, ofColumn++);
            put.setBytes(3, piece);
            put.executeUpdate();
        }
        if (++arrived == change.pieces()) {
            write();
            try (Statement statement = satellite.createStatement()) {
                statement.execute("TRUNCATE pg_temp.multimed_large");
            }
        }
    }

    /** Runs the statement; XX001 unless exactly one row was written. */
    private void write() throws SQLException {
        String sql = sql();
        try (PreparedStatement statement = satellite.prepareStatement(sql)) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            if (statement.executeUpdate() != 1) {
                throw new SQLException(
                        "%s is not as the master had it: a changed row is not there".formatted(relation.name()),
                        DIFFERENT);
            }
        }
    }

    /** Composes the statement, and collects its parameters in the order of their placeholders. */
    private String sql() {
        if (change.before() == null) {
            return "INSERT INTO " + table + " SELECT " + values() + " FROM " + row(change.after(), "r");
        }
        return change.after() == null
                ? "DELETE FROM ONLY " + table + " AS t WHERE " + matchesOldRow()
                : "UPDATE ONLY " + table + " AS t SET " + assignments() + " FROM " + row(change.after(), "r")
                        + " WHERE " + matchesOldRow();
    }

    /** Returns a FROM item that converts the text of a row to a row of the table. */
    private String row(@Nullable String text, String name) {
        return "unnest(ARRAY[CAST(" + parameter(String.valueOf(text)) + " AS " + table + ")]) AS " + name;
    }

    private String parameter(String value) {
        parameters.add(value);
        return "CAST(? AS text)";
    }

    private String values() {
        return relation.columns().stream().map(this::value).collect(Collectors.joining(", "));
    }

    /** Returns the assignments of an UPDATE, without large columns that the change has kept. */
    private String assignments() {
        return relation.columns().stream()
                .filter(name -> !isKept(name))
                .map(name -> Quoting.identifier(name) + " = " + value(name))
                .collect(Collectors.joining(", "));
    }

    private boolean isKept(String name) {
        LargeColumn found = large.get(name);
        return found != null && found.isKept();
    }

    /**
     * Returns the expression of a column: from the text of the row, or assembled from pieces. A type other than bytea
     * is converted from its text.
     */
    private String value(String name) {
        LargeColumn found = large.get(name);
        if (found == null || found.pieces() == 0) {
            return "r." + Quoting.identifier(name);
        }
        String bytes = TOGETHER.formatted(change.columns().indexOf(found));
        return found.type().equals(BYTES) ? bytes : "CAST(convert_from(" + bytes + ", 'UTF8') AS " + found.type() + ")";
    }

    /** Returns the condition that finds the old row by its ctid: of several equal rows without a key, one. */
    private String matchesOldRow() {
        String row = row(change.before(), "b");
        String conditions = relation.columns().stream()
                        .filter(this::isKey)
                        .map(Quoting::identifier)
                        .map(name -> "x." + name + " = b." + name + " AND ")
                        .collect(Collectors.joining())
                + "ROW(" + remainder() + ")::text = " + parameter(String.valueOf(change.before()));
        return "t.ctid = (SELECT x.ctid FROM " + row + " JOIN ONLY " + table + " AS x ON " + conditions
                + largeConditions() + " LIMIT 1)";
    }

    private boolean isKey(String name) {
        return relation.keyPositions().contains(relation.columns().indexOf(name));
    }

    /** Returns the columns of the old row, with NULL in place of the large ones, as the change contains them. */
    private String remainder() {
        return relation.columns().stream()
                .map(name -> large.containsKey(name) ? "NULL" : "x." + Quoting.identifier(name))
                .collect(Collectors.joining(", "));
    }

    /**
     * Returns the conditions on the large columns of the old row, for those columns whose old value the change
     * describes.
     */
    private String largeConditions() {
        return change.columns().stream()
                .filter(each -> !each.was().isEmpty())
                .map(this::largeCondition)
                .collect(Collectors.joining());
    }

    /** Returns the condition on one large column: NULL, or the SHA-256 of its bytes. */
    private String largeCondition(LargeColumn each) {
        String name = "x." + Quoting.identifier(each.name());
        if (each.was().equals(LargeColumn.NULL)) {
            return " AND num_nulls(" + name + ") = 1";
        }
        String bytes = each.type().equals(BYTES) ? name : "convert_to(format('%s', " + name + "), 'UTF8')";
        return " AND encode(sha256(" + bytes + "), 'hex') = " + parameter(each.was());
    }
}
