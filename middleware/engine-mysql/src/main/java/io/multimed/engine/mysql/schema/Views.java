// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.writeset.Change.StatementChange;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Propagates views. Satellites have those of the master's views whose text, as the engine stores it, is proved to be a
 * pure read (architecture 4.1). Only the master has the others. The views that satellites have are recorded in {@code
 * multimed.told_view}, from which a new satellite receives them.
 */
public final class Views {
    private static final String VIEWS =
            "SELECT TABLE_NAME, COLLATION_CONNECTION, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?";
    private static final String TOLD = "SELECT name, collation, statement FROM multimed.told_view";
    private static final String COLUMNS =
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";

    private static final MySqlReader READER = new MySqlReader();
    private static final ReadProof PROOF = new ReadProof(READER.readRules(), MySqlReadRules.FIXED_FACTS);

    private final Connection master;
    private final String schema;

    /** @param schema the database whose views are replicated */
    public Views(Connection master, String schema) {
        this.master = master;
        this.schema = schema;
    }

    /**
     * A view that satellites can have.
     *
     * @param collation the collation of literals in the view
     * @param sql the statement that creates the view
     */
    public record View(String name, String collation, String sql) {}

    /** Returns the existing views that satellites can have. */
    private List<View> current() throws SQLException {
        return possible(Queries.list(master, VIEWS, Views::read, schema));
    }

    private static View read(ResultSet row) throws SQLException {
        return new View(row.getString(1), row.getString(2), row.getString(3));
    }

    /**
     * Returns those of the views that satellites can have.
     *
     * @param there views with their definitions in place of statements
     */
    private List<View> possible(List<View> there) throws SQLException {
        List<View> views = new ArrayList<>();
        for (View found : there) {
            if (READER.classify(READER.read(found.sql()), () -> PROOF).isPureRead()) {
                statement(found).ifPresent(sql -> views.add(new View(found.name(), found.collation(), sql)));
            }
        }
        return views;
    }

    /**
     * Returns the statement that creates a view. A view that refers to a missing object has no columns in the catalog:
     * then returns the recorded statement, if the view has not changed since.
     */
    private Optional<String> statement(View found) throws SQLException {
        List<String> columns = Queries.texts(master, COLUMNS, schema, found.name()).stream()
                .map(Names::identifier)
                .toList();
        String definition = ") AS " + found.sql();
        if (columns.isEmpty()) {
            return told(master).stream()
                    .filter(told -> told.name().equals(found.name()))
                    .map(View::sql)
                    .filter(sql -> sql.endsWith(definition))
                    .findFirst();
        }
        return Optional.of("CREATE OR REPLACE SQL SECURITY INVOKER VIEW " + Names.table(schema, found.name()) + " ("
                + String.join(", ", columns) + definition);
    }

    /** Returns the recorded views, as the connection's snapshot sees them. */
    public static List<View> told(Connection connection) throws SQLException {
        return Queries.list(connection, TOLD, Views::read);
    }

    /** Records all views in the open transaction. Returns whether they were recorded already. */
    public boolean noteAll() throws SQLException {
        List<View> now = current();
        if (Set.copyOf(now).equals(Set.copyOf(told(master)))) {
            return true;
        }
        RoundTrip trip = new RoundTrip().execute("DELETE FROM multimed.told_view");
        now.forEach(view -> note(trip, view));
        trip.send(master);
        return false;
    }

    private static void note(RoundTrip trip, View view) {
        trip.execute("REPLACE INTO multimed.told_view VALUES (%s, %s, %s)"
                .formatted(Names.value(view.name()), Names.value(view.collation()), Names.literal(view.sql())));
    }

    /** Returns a list that contains, after the round trip, those of the named views that satellites have. */
    public static List<View> told(RoundTrip trip, Collection<String> names) {
        return names.isEmpty() ? List.of() : trip.ask(TOLD + " WHERE name IN " + Names.values(names), Views::read);
    }

    /** Removes these views from the satellites, in the open transaction. */
    public void takeAway(RoundTrip trip, List<View> told) {
        for (View view : told) {
            tell(trip, "", "DROP VIEW IF EXISTS " + Names.table(schema, view.name()));
            trip.execute("DELETE FROM multimed.told_view WHERE name = " + Names.value(view.name()));
        }
    }

    /**
     * Returns a list that contains, after the round trip, those of the named views that exist. Locks {@code
     * multimed.base} in the open transaction, so that of two sessions that change a view, the later one also reads the
     * view later.
     */
    public List<View> there(RoundTrip trip, Collection<String> names) {
        if (names.isEmpty()) {
            return List.of();
        }
        trip.texts("SELECT one FROM multimed.base FOR UPDATE");
        String query = VIEWS.replace("?", Names.value(schema)) + " AND TABLE_NAME IN " + Names.values(names);
        return trip.ask(query, Views::read);
    }

    /** Creates on the satellites, in the open transaction, those of the views that satellites can have. */
    public void create(RoundTrip trip, List<View> there, Collection<String> names) throws SQLException {
        for (View view : possible(there)) {
            if (names.contains(view.name())) {
                note(trip, view);
                tell(trip, view.collation(), view.sql());
            }
        }
    }

    private static void tell(RoundTrip trip, String collation, String sql) {
        trip.execute("CALL multimed.tell_statement(%s, %s)"
                .formatted(Names.value(collation), Names.bytes(sql.getBytes(UTF_8))));
    }

    /** Returns the changes that create views. */
    public static List<StatementChange> statements(List<View> views) {
        return views.stream()
                .map(view -> new StatementChange(view.collation(), view.sql()))
                .toList();
    }
}
