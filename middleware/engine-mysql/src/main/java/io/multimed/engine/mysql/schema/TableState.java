// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.RoundTrip;
import java.util.List;
import java.util.Optional;

/**
 * The state of the table with a given name on the master: whether it exists, its capture triggers, and its registered
 * form. Valid after the round trip that reads it was sent.
 */
public final class TableState {
    private static final String TABLES = """
            SELECT TABLE_NAME FROM information_schema.TABLES
            WHERE TABLE_SCHEMA = %s AND TABLE_NAME = %s AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')""";
    private static final String TRIGGERS = """
            SELECT TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS
            WHERE EVENT_OBJECT_SCHEMA = %s AND EVENT_OBJECT_TABLE = %s AND TRIGGER_NAME REGEXP '^multimed_[0-9]+_'""";
    private static final String FORMS =
            "SELECT id, form, away FROM multimed.relation WHERE schema_name = %s AND table_name = %s";

    private final String table;
    private final List<String> tables;
    private final List<Trigger> triggers;
    private final List<Registered> forms;

    /** @param trip receives the queries */
    public TableState(RoundTrip trip, String schema, String table) {
        this.table = table;
        this.tables = trip.texts(about(TABLES, schema, table));
        this.triggers =
                trip.ask(about(TRIGGERS, schema, table), row -> new Trigger(row.getString(1), row.getString(2)));
        this.forms = trip.ask(
                about(FORMS, schema, table),
                row -> new Registered(TableForm.decode(row.getLong(1), row.getBytes(2)), row.getBoolean(3)));
    }

    /** A capture trigger. */
    public record Trigger(String name, String body) {}

    /** A row of {@code multimed.relation}. */
    private record Registered(TableForm form, boolean away) {}

    private static String about(String query, String schema, String table) {
        return query.formatted(Names.value(schema), Names.value(table));
    }

    public String table() {
        return table;
    }

    /**
     * Returns whether there is a table of exactly this name. The catalog's query may return names that differ in case.
     */
    public boolean isThere() {
        return tables.contains(table);
    }

    public List<Trigger> triggers() {
        return triggers;
    }

    /** Returns the form in which the table is under capture; empty while the table is away. */
    public Optional<TableForm> form() {
        return form(false);
    }

    /** Returns the form of the table before it was removed from the satellites; empty if it was not removed. */
    public Optional<TableForm> formAway() {
        return form(true);
    }

    private Optional<TableForm> form(boolean away) {
        return forms.stream()
                .filter(known -> known.away() == away)
                .map(Registered::form)
                .findFirst();
    }
}
