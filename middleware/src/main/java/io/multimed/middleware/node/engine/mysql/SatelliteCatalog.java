package io.multimed.middleware.node.engine.mysql;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What a satellite knows of the master's tables, at its own place in the order: kept in a table of its own and changed in the same transactions as the rows, so that a row
 * is always read by the form that it was captured in.
 */
final class SatelliteCatalog {
    private final Connection satellite;
    private final Map<Long, TableForm> forms = new HashMap<>();
    private long newest;

    SatelliteCatalog(Connection satellite) {
        this.satellite = satellite;
    }

    void load() throws SQLException {
        forms.clear();
        Capture.forms(satellite, "").forEach(this::remember);
        newest = Queries.number(satellite, "SELECT COALESCE(MAX(id), 0) FROM multimed.relation");
    }

    /**
     * The form of that id; empty while the table is away, and if the form is newer than all that are known: its triggers are there a moment before satellites are told of it. Rows
     * that come then are among those that come with the next form.
     *
     * @throws SQLException XX001 if that cannot be: the copy must be made anew
     */
    Optional<TableForm> form(long id) throws SQLException {
        TableForm form = forms.get(id);
        if (form == null && id <= newest && !isAway(id)) {
            throw new SQLException(
                    "a WriteSet names relation %d, which this satellite never heard of: it must be seeded anew"
                            .formatted(id),
                    "XX001");
        }
        return Optional.ofNullable(form);
    }

    private boolean isAway(long id) throws SQLException {
        return Queries.number(satellite, "SELECT COUNT(*) FROM multimed.relation WHERE away AND id = " + id) > 0;
    }

    void takeAway(long id) throws SQLException {
        Queries.run(satellite, "UPDATE multimed.relation SET away = TRUE WHERE id = " + id);
        forms.remove(id);
    }

    /** Whether the satellite has the form of that id now. */
    boolean has(long id) {
        return forms.containsKey(id);
    }

    /** The form, which the satellite has, has other indexes now. */
    void replace(TableForm form) throws SQLException {
        Capture.reform(satellite, form);
        remember(form);
    }

    void put(TableForm form) throws SQLException {
        try (PreparedStatement insert =
                satellite.prepareStatement("INSERT INTO multimed.relation VALUES (?, ?, ?, ?, FALSE)")) {
            insert.setLong(1, form.id());
            insert.setString(2, form.schema());
            insert.setString(3, form.table());
            insert.setBytes(4, form.encode());
            insert.executeUpdate();
        }
        remember(form);
    }

    private void remember(TableForm form) {
        forms.put(form.id(), form);
        newest = Math.max(newest, form.id());
    }

    void remove(String schema, String table) throws SQLException {
        try (PreparedStatement delete =
                satellite.prepareStatement("DELETE FROM multimed.relation WHERE schema_name = ? AND table_name = ?")) {
            delete.setString(1, schema);
            delete.setString(2, table);
            delete.executeUpdate();
        }
        forms.values()
                .removeIf(form -> form.schema().equals(schema) && form.table().equals(table));
    }
}
