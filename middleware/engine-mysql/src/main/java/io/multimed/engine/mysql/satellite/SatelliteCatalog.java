// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.master.Capture;
import io.multimed.engine.mysql.schema.TableForm;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The master's tables at the satellite's own applied SCN. They are stored in a table on the satellite, and change in
 * the same transactions as the rows, so that a row is always read by the form under which it was captured. Memory
 * holds a copy, which {@link #load} renews after a rollback.
 */
final class SatelliteCatalog {
    private final Connection satellite;

    /** Number of ids before the last one for which the satellite remembers that they were replaced. */
    private static final int KEPT = 10_000;

    private final Map<Long, TableForm> forms = new HashMap<>();

    SatelliteCatalog(Connection satellite) {
        this.satellite = satellite;
    }

    /** Reads all forms from the satellite's table. */
    void load() throws SQLException {
        forms.clear();
        Capture.forms(satellite, "").forEach(this::remember);
    }

    /**
     * Returns the form with this id. The result is empty while the table is away, or if the form has not arrived yet:
     * its triggers are created before, and rows that arrive then are among those that come with the form. Forms of
     * several tables may arrive in another order than that of their ids.
     *
     * @throws SQLException XX001 if the relation has been replaced by a relation with another id: the satellite must
     *     be seeded again
     */
    Optional<TableForm> form(long id) throws SQLException {
        TableForm form = forms.get(id);
        if (form == null && isReplaced(id)) {
            throw new SQLException(
                    "a WriteSet names relation %d, which was replaced by a relation with another id: the satellite must be seeded again"
                            .formatted(id),
                    "XX001");
        }
        return Optional.ofNullable(form);
    }

    private boolean isReplaced(long id) throws SQLException {
        return Queries.number(satellite, "SELECT COUNT(*) FROM multimed.replaced WHERE id = " + id) > 0;
    }

    /** Marks the table as away: rows that are captured under this id are ignored from now on. */
    void takeAway(long id) throws SQLException {
        Queries.execute(satellite, "UPDATE multimed.relation SET away = TRUE WHERE id = " + id);
        Queries.execute(satellite, "DELETE FROM multimed.replaced WHERE id = " + id);
        forms.remove(id);
    }

    boolean has(long id) {
        return forms.containsKey(id);
    }

    /** Replaces a form that the satellite has by one with other indexes. */
    void replace(TableForm form) throws SQLException {
        Capture.reform(satellite, form);
        remember(form);
    }

    /** Adds a form, and forgets which ids were replaced long ago. */
    void put(TableForm form) throws SQLException {
        try (PreparedStatement insert =
                satellite.prepareStatement("INSERT INTO multimed.relation VALUES (?, ?, ?, ?, FALSE)")) {
            insert.setLong(1, form.id());
            insert.setString(2, form.schema());
            insert.setString(3, form.table());
            insert.setBytes(4, form.encode());
            insert.executeUpdate();
        }
        Queries.execute(
                satellite,
                "DELETE FROM multimed.replaced WHERE id = %d OR id < %d".formatted(form.id(), form.id() - KEPT));
        remember(form);
    }

    private void remember(TableForm form) {
        forms.put(form.id(), form);
    }

    /** Removes all forms of a table that has another form, or is gone. Nothing more is captured under their ids. */
    void remove(String schema, String table) throws SQLException {
        run(
                "INSERT IGNORE INTO multimed.replaced SELECT id FROM multimed.relation WHERE schema_name = ? AND table_name = ?",
                schema,
                table);
        run("DELETE FROM multimed.relation WHERE schema_name = ? AND table_name = ?", schema, table);
        forms.values()
                .removeIf(form -> form.schema().equals(schema) && form.table().equals(table));
    }

    private void run(String change, String schema, String table) throws SQLException {
        try (PreparedStatement statement = satellite.prepareStatement(change)) {
            statement.setString(1, schema);
            statement.setString(2, table);
            statement.executeUpdate();
        }
    }
}
