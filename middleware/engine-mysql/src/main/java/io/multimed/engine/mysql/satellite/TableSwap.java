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
 * Puts new forms of tables in place of the old ones on a satellite. A new form is made, and filled, in Multimed's own database, where no reader sees it; then all tables of the
 * WriteSet change places by one RENAME, which the engine does as a whole. A reader whose snapshot is older is told by the engine that the table is another one.
 *
 * <p>Each DDL statement commits. So all before is committed first, with its place in the order, and what a crash leaves in between is done again.
 */
final class TableSwap {
    private static final String EXISTS =
            "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

    private final Connection satellite;
    private final SatelliteCatalog catalog;
    private final ReplicatedTables held;
    private final Map<Long, TableForm> coming = new LinkedHashMap<>();
    private final List<TableForm> going = new ArrayList<>();
    private final List<Long> leaving = new ArrayList<>();

    TableSwap(Connection satellite, SatelliteCatalog catalog, ReplicatedTables held) {
        this.satellite = satellite;
        this.catalog = catalog;
        this.held = held;
    }

    boolean isEmpty() {
        return coming.isEmpty() && leaving.isEmpty();
    }

    /** The form, if it is one that is coming. */
    Optional<TableForm> coming(long id) {
        return Optional.ofNullable(coming.get(id));
    }

    /** Makes a table of this form, which is not seen yet. */
    void come(TableForm form) throws SQLException {
        coming.put(form.id(), form);
        if (isReplicated(form)) {
            Queries.run(satellite, "DROP TABLE IF EXISTS " + place(form));
            Queries.run(satellite, "CREATE TABLE " + place(form) + form.body());
        }
    }

    /** Satellites do not have the table of that form, for now or for good. */
    void go(long id) throws SQLException {
        catalog.form(id).ifPresent(going::add);
        leaving.add(id);
    }

    /** Where the rows of a coming form are until all change places. */
    static String place(TableForm form) {
        return "multimed.incoming_" + form.id();
    }

    /** Lets readers see all of it; what the catalogue says of it is in the open transaction afterwards. */
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
        drop(gone); // of an earlier try
        if (!moves.isEmpty()) {
            DdlRetry.run(satellite, "RENAME TABLE " + String.join(", ", moves));
        }
        drop(gone);
        for (TableForm form : coming.values()) {
            catalog.remove(form.schema(), form.table());
            catalog.put(form);
        }
        for (long id : leaving) { // a table of another name may still have the triggers of an id that was replaced
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
            Queries.run(satellite, "DROP TABLE IF EXISTS " + String.join(", ", tables));
        }
    }

    private boolean isReplicated(TableForm form) {
        return held.includes(form.schema(), form.table());
    }

    private static String table(TableForm form) {
        return Names.table(form.schema(), form.table());
    }
}
