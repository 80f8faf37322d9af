// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.master;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.mysql.schema.TableForm;
import io.multimed.engine.mysql.schema.TableIndexes;
import io.multimed.engine.mysql.schema.TableReader;
import io.multimed.engine.mysql.schema.TableState;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * Puts tables under capture: creates the triggers on a table, and registers in {@code multimed.relation} the form that
 * the triggers know (architecture 4.4). Captures only tables of one database, which the URL named when Multimed
 * started.
 *
 * <p>Creating and dropping triggers commits. Methods that are described as "in the open transaction" neither begin nor
 * end one: their changes become part of the WriteSet that the caller seals. The connection belongs to the caller.
 */
public final class Capture {
    private static final String TABLES = """
            SELECT TABLE_NAME FROM information_schema.TABLES
            WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME""";
    private static final int TRIGGERS_PER_TABLE = 3;

    /** SQLState of tables that cannot be replicated. */
    private static final String REFUSED = "0A000";

    /** Error number: the trigger to be dropped does not exist. */
    private static final int NO_TRIGGER = 1360;

    private final Connection master;
    private final String schema;

    Capture(Connection master) throws SQLException {
        this(
                master,
                Queries.texts(master, "SELECT database_name FROM multimed.base").get(0));
    }

    /** @param schema the database whose tables are replicated */
    Capture(Connection master, String schema) {
        this.master = master;
        this.schema = schema;
    }

    /** Returns the database whose tables are replicated, regardless of the database that the connection uses. */
    String schema() {
        return schema;
    }

    /**
     * Puts all tables under capture that {@code held} includes, and forgets those that no longer exist.
     *
     * @return whether all were in the state in which Multimed left them; if not, rows may have changed without a
     *     trigger
     * @throws SQLException 0A000 if some tables cannot be replicated: the message contains all reasons
     */
    boolean watchAll(ReplicatedTables held) throws SQLException {
        boolean known = true;
        List<String> problems = new ArrayList<>();
        List<TableForm> before = forms(); // read first: a table that is created now is not one that has gone
        List<String> tables = tables();
        for (String table : tables) {
            if (held.includes(schema, table)) {
                TableState state = state(table);
                Optional<TableForm> now = current(state, problems);
                known &= now.isEmpty() || captureTable(state, now.get());
            }
        }
        if (!problems.isEmpty()) {
            throw new SQLException(String.join(System.lineSeparator(), problems), REFUSED);
        }
        before.removeIf(form -> tables.contains(form.table()));
        return forget(before) && known;
    }

    /** Puts a table under capture. Returns whether the table was under capture in its present form. */
    private boolean captureTable(TableState state, TableForm now) throws SQLException {
        if (state.form().isPresent() && isCaptured(state, state.form().get(), now)) {
            return true;
        }
        TableForm form = replaceTriggers(state, now);
        RoundTrip trip = new RoundTrip();
        forget(trip, now.table());
        register(trip, form);
        trip.send(master);
        return false;
    }

    /**
     * Removes registrations without a table, in a transaction without a snapshot: other transactions may change the
     * same rows. Returns whether there were none.
     */
    private boolean forget(List<TableForm> gone) throws SQLException {
        RoundTrip trip = new RoundTrip().execute("COMMIT");
        gone.forEach(form -> trip.execute("DELETE FROM multimed.relation WHERE id = " + form.id()));
        if (!gone.isEmpty()) {
            trip.send(master);
        }
        return gone.isEmpty();
    }

    /** Returns the names of the tables that exist, views excluded. */
    List<String> tables() throws SQLException {
        return Queries.texts(master, TABLES, schema);
    }

    public List<TableForm> forms() throws SQLException {
        return new ArrayList<>(forms(master, " AND schema_name = ?", schema));
    }

    /** Returns the present state of the table with this name on the master. */
    TableState state(String table) throws SQLException {
        RoundTrip trip = new RoundTrip();
        TableState state = new TableState(trip, schema, table);
        trip.send(master);
        return state;
    }

    /**
     * Returns a list that contains, after the round trip, the forms of these tables, as far as they are under capture
     * and not away.
     */
    public List<TableForm> forms(RoundTrip trip, Collection<String> tables) {
        return tables.isEmpty()
                ? List.of()
                : trip.ask(
                        "SELECT id, form FROM multimed.relation WHERE NOT away AND " + isOneOf(tables),
                        row -> TableForm.decode(row.getLong(1), row.getBytes(2)));
    }

    private String isOneOf(Collection<String> tables) {
        return "schema_name = %s AND table_name IN %s".formatted(Names.value(schema), Names.values(tables));
    }

    /**
     * Returns the forms of tables under capture that are not away, as the connection's snapshot sees them. The
     * connection may be one to a satellite, whose table {@code multimed.relation} has the same columns.
     *
     * @param condition appended to the condition, with placeholders for the parameters
     */
    public static List<TableForm> forms(Connection connection, String condition, Object... parameters)
            throws SQLException {
        return read(connection, "NOT away" + condition, parameters);
    }

    /**
     * Returns the forms of tables that are away, as the connection's snapshot sees them: satellites lack these tables
     * until their new form arrives.
     */
    public static List<TableForm> formsAway(Connection connection) throws SQLException {
        return read(connection, "away");
    }

    private static List<TableForm> read(Connection connection, String which, Object... parameters) throws SQLException {
        return Queries.list(
                connection,
                "SELECT id, form FROM multimed.relation WHERE " + which + " ORDER BY id",
                row -> TableForm.decode(row.getLong(1), row.getBytes(2)),
                parameters);
    }

    /**
     * Returns the present form of a table, without an id. Empty if the table does not exist, or cannot be replicated;
     * the reason is then added to {@code problems}.
     */
    Optional<TableForm> current(TableState state, List<String> problems) throws SQLException {
        if (!state.isThere()) {
            return Optional.empty();
        }
        try {
            return Optional.of(TableReader.read(master, schema, state.table()));
        } catch (SQLException e) {
            if (!REFUSED.equals(e.getSQLState())) {
                throw e;
            }
            problems.add(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Returns whether a table still has the form in which it was put under capture, and the triggers of this form. */
    boolean isCaptured(TableState state, TableForm before, TableForm now) {
        return Arrays.equals(before.encode(), now.encode()) && isTriggered(state, before);
    }

    /**
     * Returns whether a table still has the triggers of the form in which it was put under capture, and differs from
     * this form at most in its secondary indexes.
     */
    boolean hasSameRows(TableState state, TableForm before, TableForm now) {
        return TableIndexes.differAtMost(before, now) && isTriggered(state, before);
    }

    /**
     * Creates the triggers of a form on its table, in place of the present ones, and commits. The new id is not
     * registered yet: satellites ignore rows that are captured under it until {@link #recordTable}. Also commits first:
     * with an older snapshot, the number could not be taken if another transaction has changed its row since.
     *
     * @return the form with its id
     */
    TableForm replaceTriggers(TableState state, TableForm form) throws SQLException {
        RoundTrip number = new RoundTrip().execute("COMMIT").execute("UPDATE multimed.base SET forms = forms + 1");
        List<Long> forms = number.ask("SELECT forms FROM multimed.base", row -> row.getLong(1));
        number.execute("COMMIT").send(master);
        TableForm numbered = form.withId(forms.get(0));
        dropTriggers(state);
        // One statement per text: the engine stores the rest of the text as part of the trigger.
        for (String trigger : triggers(numbered)) {
            Queries.execute(master, trigger);
        }
        return numbered;
    }

    /** Drops the capture triggers of a table; commits if there are any. */
    void dropTriggers(TableState state) throws SQLException {
        for (TableState.Trigger trigger : state.triggers()) {
            try {
                drop(trigger);
            } catch (SQLException e) {
                if (e.getErrorCode() != NO_TRIGGER
                        || !state(state.table()).triggers().contains(trigger)) {
                    throw e;
                }
                restoreTriggerFiles(state.table());
                drop(trigger);
            }
        }
    }

    private static void register(RoundTrip trip, TableForm form) {
        trip.execute("INSERT INTO multimed.relation VALUES (%d, %s, %s, %s, FALSE)"
                .formatted(
                        form.id(), Names.value(form.schema()), Names.value(form.table()), Names.bytes(form.encode())));
    }

    private void drop(TableState.Trigger trigger) throws SQLException {
        Queries.execute(master, "DROP TRIGGER " + Names.table(schema, trigger.name()));
    }

    /**
     * Renames the table twice. After concurrent DDL, MariaDB can list a trigger, and execute it, but refuse to drop
     * it, because the file that assigns the trigger to its table is missing. The engine writes these files when it
     * renames a table.
     */
    private void restoreTriggerFiles(String table) throws SQLException {
        String name = Names.table(schema, table);
        String between = Names.table(schema, "multimed_" + UUID.randomUUID());
        Queries.execute(master, "RENAME TABLE %s TO %s, %s TO %s".formatted(name, between, between, name));
    }

    /** Removes the registration of a table, in the open transaction. */
    void forget(RoundTrip trip, String table) {
        trip.execute("DELETE FROM multimed.relation WHERE " + isOneOf(Set.of(table)));
    }

    /** Marks a table as away, in the open transaction: from this WriteSet on, satellites do not have the table. */
    static void takeAway(RoundTrip trip, TableForm form) {
        trip.execute("UPDATE multimed.relation SET away = TRUE WHERE id = " + form.id());
        reportGone(trip, form.id());
    }

    /** Adds to the WriteSet that satellites drop the table with this id. */
    private static void reportGone(RoundTrip trip, long id) {
        trip.execute("CALL multimed.tell_form(" + id + ", NULL)");
    }

    /**
     * Called in the open transaction before {@link #recordTable}, if other statements are changing tables: a table that
     * they have renamed may still have the triggers of the id that is replaced, and satellites must ignore its rows.
     */
    void leaveReplaced(TableForm form) throws SQLException {
        Optional<TableForm> away = state(form.table()).formAway();
        if (away.isPresent()
                && away.get().id() != form.id()
                && isInUse(away.get().id())) {
            RoundTrip trip = new RoundTrip();
            reportGone(trip, away.get().id());
            trip.send(master);
        }
    }

    /** Returns whether triggers still capture rows under this id, after a RENAME on a table of another name. */
    private boolean isInUse(long id) throws SQLException {
        return Queries.number(
                        master,
                        "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? AND TRIGGER_NAME REGEXP '^multimed_%d_'"
                                .formatted(id),
                        schema)
                > 0;
    }

    /** Records in the open transaction that a table under capture has this form, with the same id and the same rows. */
    void change(TableForm form) throws SQLException {
        reform(master, form);
        RoundTrip trip = new RoundTrip();
        reportForm(trip, form);
        trip.send(master);
    }

    /** Replaces the registered form of an id, in the open transaction, on the master or on a satellite. */
    public static void reform(Connection connection, TableForm form) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE multimed.relation SET form = ? WHERE id = ?")) {
            update.setBytes(1, form.encode());
            update.setLong(2, form.id());
            update.executeUpdate();
        }
    }

    /**
     * Adds a form to the WriteSet. Satellites create the table or, if they have this id already, change its indexes.
     */
    private static void reportForm(RoundTrip trip, TableForm form) {
        trip.execute("CALL multimed.tell_form(%d, %s)".formatted(form.id(), Names.bytes(form.encode())));
    }

    /**
     * Records in the open transaction that the table has this form, and all its rows as inserted ones. Reading the
     * rows locks them until the transaction ends, and so the caller's isolation level can keep other writes out.
     */
    void recordTable(RoundTrip trip, TableForm form) {
        forget(trip, form.table());
        register(trip, form);
        reportForm(trip, form);
        trip.execute(rows(form));
    }

    /** Returns the statement that captures all rows of a table as inserted ones. */
    private String rows(TableForm form) {
        return MySqlServer.SCRIPTS.script(
                "rows",
                Map.of(
                        "id", String.valueOf(form.id()),
                        "row", form.capturedRow("t"),
                        "table", Names.table(form.relation())));
    }

    /** Returns the statements that create the triggers of a form, from {@code mysql/watch.sql}. */
    private List<String> triggers(TableForm form) {
        String script = MySqlServer.SCRIPTS.script(
                "watch",
                Map.of(
                        "schema", Names.identifier(form.schema()),
                        "table", Names.table(form.relation()),
                        "id", String.valueOf(form.id()),
                        "old", form.capturedRow("OLD"),
                        "new", form.capturedRow("NEW")));
        return Stream.of(script.split("\n\n", -1))
                .map(statement -> statement.strip().replaceFirst(";$", ""))
                .toList();
    }

    /** Returns whether the triggers on the table are those of this form and of this version of Multimed. */
    private boolean isTriggered(TableState state, TableForm form) {
        String wanted = String.join("\n", triggers(form));
        return state.triggers().size() == TRIGGERS_PER_TABLE
                && state.triggers().stream()
                        .allMatch(there -> wanted.contains(there.name()) && wanted.contains(there.body()));
    }
}
