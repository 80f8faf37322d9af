// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Replaces tables of a satellite by their new forms. A new form is created and filled in Multimed's own database,
 * where no reader sees it. All tables of the WriteSet are then exchanged by one RENAME, which the engine executes
 * atomically. A reader with an older snapshot receives an error of the engine that the table has changed.
 *
 * <p>Every DDL statement commits. All earlier changes are therefore committed before, with their applied SCN, and a
 * crash between the statements leads to a repetition.
 */
final class TableSwap {
    private static final String EXISTS =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

    private final Connection satellite;
    private final SatelliteCatalog catalog;
    private final ReplicatedTables held;

    /** Forms that arrive with this WriteSet, by id. */
    private final Map<Long, TableForm> coming = new LinkedHashMap<>();

    /** Forms that the satellite has and that leave with this WriteSet. */
    private final List<TableForm> going = new ArrayList<>();

    /** Ids that leave, including those that the satellite does not know. */
    private final List<Long> leaving = new ArrayList<>();

    TableSwap(Connection satellite, SatelliteCatalog catalog, ReplicatedTables held) {
        this.satellite = satellite;
        this.catalog = catalog;
        this.held = held;
    }

    /** Returns whether the WriteSet has not changed any table so far. */
    boolean isEmpty() {
        return coming.isEmpty() && leaving.isEmpty();
    }

    /** Returns the form with this id if it arrives with this WriteSet. */
    Optional<TableForm> coming(long id) {
        return Optional.ofNullable(coming.get(id));
    }

    /**
     * Creates the table of a new form outside of readers' sight. The rows that follow are written to {@link #place}.
     */
    void come(TableForm form) throws SQLException {
        coming.put(form.id(), form);
        if (isReplicated(form)) {
            Queries.execute(satellite, "DROP TABLE IF EXISTS " + place(form));
            Queries.execute(satellite, "CREATE TABLE " + place(form) + form.body());
        }
    }

    /** Records that the table with this form leaves, until a new form arrives or permanently. */
    void go(long id) throws SQLException {
        catalog.form(id).ifPresent(going::add);
        leaving.add(id);
    }

    /** Returns the name of a new form's table until the exchange. */
    static String place(TableForm form) {
        return "multimed.incoming_" + form.id();
    }

    /**
     * Exchanges the tables, which makes them visible to readers. The changes of the catalog are in the open
     * transaction afterwards, and the caller commits them with the applied SCN.
     */
    void changePlaces() throws SQLException {
        Set<String> names = new TreeSet<>();
        coming.values().stream().filter(this::isReplicated).forEach(form -> names.add(table(form)));
        going.stream().filter(this::isReplicated).forEach(form -> names.add(table(form)));
        List<String> moves = new ArrayList<>();
        List<String> gone = new ArrayList<>();
        for (TableForm form : all()) {
            if (names.remove(table(form)) && Queries.number(satellite, EXISTS, form.schema(), form.table()) > 0) {
                String away = "multimed.outgoing_" + form.id();
                moves.add(table(form) + " TO " + away);
                gone.add(away);
            }
        }
        coming.values().stream()
                .filter(this::isReplicated)
                .forEach(form -> moves.add(place(form) + " TO " + table(form)));
        // Remains of an earlier attempt.
        drop(gone);
        if (!moves.isEmpty()) {
            DdlRetry.execute(satellite, "RENAME TABLE " + String.join(", ", moves));
        }
        drop(gone);
        for (TableForm form : coming.values()) {
            catalog.remove(form.schema(), form.table());
            catalog.put(form);
        }
        // A table of another name may still have the triggers of an id that was replaced.
        for (long id : leaving) {
            catalog.takeAway(id);
        }
        coming.clear();
        going.clear();
        leaving.clear();
    }

    private List<TableForm> all() {
        List<TableForm> all = new ArrayList<>(going);
        all.addAll(coming.values());
        return all;
    }

    private void drop(List<String> tables) throws SQLException {
        if (!tables.isEmpty()) {
            Queries.execute(satellite, "DROP TABLE IF EXISTS " + String.join(", ", tables));
        }
    }

    /** Returns whether this satellite holds the table. */
    private boolean isReplicated(TableForm form) {
        return held.includes(form.schema(), form.table());
    }

    private static String table(TableForm form) {
        return Names.table(form.schema(), form.table());
    }
}
