package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.NetEffect;
import io.multimed.middleware.writeset.Relation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the rows of one relation to a satellite. With a key: one statement per operation over an array of rows (design 4.5). Without: row by row,
 * by the whole old row, exactly one of several equal ones.
 */
final class RelationWriter {
    private final Relation relation;
    private final @Nullable NetEffect net;
    private final String table;
    private final String rows;

    RelationWriter(Relation relation) {
        this.relation = relation;
        this.net = relation.hasKey() ? new NetEffect(row -> RowText.key(row, relation.keyPositions())) : null;
        this.table = Quoting.table(relation);
        this.rows = "unnest(CAST(CAST(? AS text[]) AS " + table + "[])) AS r";
    }

    /** Takes a change; with a key it is written by {@link #flush}, without at once. */
    void add(Connection satellite, @Nullable String before, @Nullable String after) throws SQLException {
        if (net != null) {
            net.add(before, after);
        } else {
            writeKeyless(satellite, before, after);
        }
    }

    /** All rows go. Deleted, not truncated: readers with an older snapshot must go on seeing them. */
    void truncate(Connection satellite) throws SQLException {
        if (net != null) {
            net.truncate();
        } else {
            write(satellite, "DELETE FROM " + table, null);
        }
    }

    int pending() {
        return net == null ? 0 : net.size();
    }

    /**
     * Writes what is pending.
     *
     * @param careful takes all old rows out before it puts new ones in, so that no unique index sees a state between
     */
    void flush(Connection satellite, boolean careful) throws SQLException {
        if (net == null) {
            return;
        }
        if (net.truncated()) {
            write(satellite, "DELETE FROM " + table, null);
        }
        writeRows(satellite, delete(), net.deletes());
        writeRows(satellite, careful ? delete() : update(), net.updates());
        if (careful) {
            writeRows(satellite, insert(), net.updates());
        }
        writeRows(satellite, insert(), net.inserts());
    }

    private String delete() {
        return "DELETE FROM " + table + " AS t USING " + rows + " WHERE " + sameKey();
    }

    private String insert() {
        return "INSERT INTO " + table + " SELECT r.* FROM " + rows;
    }

    private String update() {
        String assignments = relation.columns().stream()
                .filter(column -> !isKey(column))
                .map(column -> Quoting.identifier(column) + " = r." + Quoting.identifier(column))
                .collect(Collectors.joining(", "));
        return "UPDATE " + table + " AS t SET " + assignments + " FROM " + rows + " WHERE " + sameKey();
    }

    private boolean isKey(String column) {
        return relation.keyPositions().contains(relation.columns().indexOf(column));
    }

    private String sameKey() {
        return relation.keyPositions().stream()
                .map(position -> Quoting.identifier(relation.columns().get(position)))
                .map(column -> "t." + column + " = r." + column)
                .collect(Collectors.joining(" AND "));
    }

    private void writeKeyless(Connection satellite, @Nullable String before, @Nullable String after)
            throws SQLException {
        if (before != null) {
            write(
                    satellite,
                    "DELETE FROM %1$s WHERE ctid = (SELECT ctid FROM %1$s AS x WHERE x::text = ? LIMIT 1)"
                            .formatted(table),
                    before);
        }
        if (after != null) {
            writeRows(satellite, insert(), List.of(after));
        }
    }

    private static void writeRows(Connection satellite, String sql, List<String> texts) throws SQLException {
        if (texts.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = satellite.prepareStatement(sql)) {
            statement.setArray(1, satellite.createArrayOf("text", texts.toArray()));
            statement.executeUpdate();
        }
    }

    private static void write(Connection satellite, String sql, @Nullable String parameter) throws SQLException {
        try (PreparedStatement statement = satellite.prepareStatement(sql)) {
            if (parameter != null) {
                statement.setString(1, parameter);
            }
            statement.executeUpdate();
        }
    }
}
