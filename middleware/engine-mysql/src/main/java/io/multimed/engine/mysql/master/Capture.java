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
 * Puts tables under capture: the triggers on the table, and in {@code multimed.relation} the form that they know. Only the tables of the database that the URL names, as it was when Multimed started.
 */
public final class Capture {
    private static final String TABLES = """
            SELECT TABLE_NAME FROM information_schema.TABLES
            WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME""";
    private static final int TRIGGERS_PER_TABLE = 3;
    private static final String REFUSED = "0A000";
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

    /** The database whose tables are replicated, whatever database the connection uses. */
    String schema() {
        return schema;
    }

    /**
     * Puts all tables under capture that {@code held} holds, and forgets those that are gone.
     *
     * @return whether all were as they had been left: if not, rows may have changed unseen
     * @throws SQLException 0A000 if some cannot be: all reasons
     */
    boolean watchAll(ReplicatedTables held) throws SQLException {
        boolean known = true;
        List<String> problems = new ArrayList<>();
        List<String> tables = tables();
        for (String table : tables) {
            if (held.includes(schema, table)) {
                TableState state = state(table);
                Optional<TableForm> now = current(state, problems);
                known &= now.isEmpty() || watch(state, now.get());
            }
        }
        if (!problems.isEmpty()) {
            throw new SQLException(String.join(System.lineSeparator(), problems), REFUSED);
        }
        return forgetAllBut(tables) && known;
    }

    private boolean watch(TableState state, TableForm now) throws SQLException {
        if (state.form().isPresent() && isWatched(state, state.form().get(), now)) {
            return true;
        }
        TableForm form = rewatch(state, now);
        RoundTrip trip = new RoundTrip();
        forget(trip, now.table());
        register(trip, form);
        trip.send(master);
        return false;
    }

    private boolean forgetAllBut(List<String> tables) throws SQLException {
        List<TableForm> gone = new ArrayList<>(forms());
        gone.removeIf(form -> tables.contains(form.table()));
        RoundTrip trip = new RoundTrip();
        gone.forEach(form -> forget(trip, form.table()));
        trip.send(master);
        return gone.isEmpty();
    }

    /** The tables that there are. */
    List<String> tables() throws SQLException {
        return Queries.texts(master, TABLES, schema);
    }

    /** The forms of the tables under capture. */
    public List<TableForm> forms() throws SQLException {
        return forms(master, " AND schema_name = ?", schema);
    }

    /** Returns what the master has under the name of this table now. */
    TableState state(String table) throws SQLException {
        RoundTrip trip = new RoundTrip();
        TableState state = new TableState(trip, schema, table);
        trip.send(master);
        return state;
    }

    /** The forms of those of the tables that are under capture and not away, when the round trip has been sent. */
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

    /** The forms of tables under capture that are not away, as the connection's snapshot sees them. */
    public static List<TableForm> forms(Connection connection, String condition, Object... parameters)
            throws SQLException {
        return read(connection, "NOT away" + condition, parameters);
    }

    /** The forms of tables that are away, as the connection's snapshot sees them. */
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

    /** The form that a table has now, without an id; empty if it is not there, or cannot be replicated, which is added to {@code problems}. */
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

    /** Whether a table has the form still in which it was put under capture, and the triggers. */
    boolean isWatched(TableState state, TableForm before, TableForm now) {
        return Arrays.equals(before.encode(), now.encode()) && isTriggered(state, before);
    }

    /** Whether a table has the rows still that it had when it was put under capture, and the triggers: only its indexes may be others. */
    boolean hasSameRows(TableState state, TableForm before, TableForm now) {
        return TableIndexes.differAtMost(before, now) && isTriggered(state, before);
    }

    /** Puts the triggers of a form on its table; commits. Returns the form with its id, which nobody knows yet. */
    TableForm rewatch(TableState state, TableForm form) throws SQLException {
        RoundTrip number = new RoundTrip().run("UPDATE multimed.base SET forms = forms + 1");
        List<Long> forms = number.ask("SELECT forms FROM multimed.base", row -> row.getLong(1));
        number.run("COMMIT").send(master);
        TableForm numbered = form.withId(forms.get(0));
        unwatch(state);
        for (String trigger : triggers(numbered)) { // one by one: the engine stores what follows in a text, too
            Queries.run(master, trigger);
        }
        return numbered;
    }

    /** Takes the triggers off a table; commits if there are any. */
    void unwatch(TableState state) throws SQLException {
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
        trip.run("INSERT INTO multimed.relation VALUES (%d, %s, %s, %s, FALSE)"
                .formatted(
                        form.id(), Names.value(form.schema()), Names.value(form.table()), Names.bytes(form.encode())));
    }

    private void drop(TableState.Trigger trigger) throws SQLException {
        Queries.run(master, "DROP TRIGGER " + Names.table(schema, trigger.name()));
    }

    /**
     * After concurrent DDL, MariaDB can list a trigger, and execute it, but refuse to drop it, because the file that
     * says to which table it belongs is missing. The engine writes these files when it renames a table.
     */
    private void restoreTriggerFiles(String table) throws SQLException {
        String name = Names.table(schema, table);
        String between = Names.table(schema, "multimed_" + UUID.randomUUID());
        Queries.run(master, "RENAME TABLE %s TO %s, %s TO %s".formatted(name, between, between, name));
    }

    /** In the open transaction. */
    void forget(RoundTrip trip, String table) {
        trip.run("DELETE FROM multimed.relation WHERE " + isOneOf(Set.of(table)));
    }

    /** In the open transaction: from here on satellites do not have the table. */
    static void takeAway(RoundTrip trip, TableForm form) {
        trip.run("UPDATE multimed.relation SET away = TRUE WHERE id = " + form.id());
        tellGone(trip, form.id());
    }

    private static void tellGone(RoundTrip trip, long id) {
        trip.run("CALL multimed.tell_form(" + id + ", NULL)");
    }

    /**
     * In the open transaction, before {@link #bring}, if other statements are changing tables: a table that they have
     * renamed may still have the triggers of the id that is replaced, and satellites must ignore their rows.
     */
    void leaveReplaced(TableForm form) throws SQLException {
        Optional<TableForm> away = state(form.table()).formAway();
        if (away.isPresent()
                && away.get().id() != form.id()
                && isInUse(away.get().id())) {
            RoundTrip trip = new RoundTrip();
            tellGone(trip, away.get().id());
            trip.send(master);
        }
    }

    /** Whether triggers still capture rows under this id, after a RENAME on a table of another name. */
    private boolean isInUse(long id) throws SQLException {
        return Queries.number(
                        master,
                        "SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA = ? AND TRIGGER_NAME REGEXP '^multimed_%d_'"
                                .formatted(id),
                        schema)
                > 0;
    }

    /** In the open transaction: from here on the table, which is under capture with that id, has this form, and the same rows. */
    void change(TableForm form) throws SQLException {
        reform(master, form);
        RoundTrip trip = new RoundTrip();
        tellForm(trip, form);
        trip.send(master);
    }

    /** In the open transaction, on the master or a satellite. */
    public static void reform(Connection connection, TableForm form) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE multimed.relation SET form = ? WHERE id = ?")) {
            update.setBytes(1, form.encode());
            update.setLong(2, form.id());
            update.executeUpdate();
        }
    }

    private static void tellForm(RoundTrip trip, TableForm form) {
        trip.run("CALL multimed.tell_form(%d, %s)".formatted(form.id(), Names.bytes(form.encode())));
    }

    /** In the open transaction: from here on the table has this form, and the rows that it has now. They are locked, and so is the way of others, until the transaction ends. */
    void bring(RoundTrip trip, TableForm form) {
        forget(trip, form.table());
        register(trip, form);
        tellForm(trip, form);
        trip.run(rows(form));
    }

    /** The statement that captures all rows of a table as inserted ones. */
    private String rows(TableForm form) {
        return MySqlServer.SCRIPTS.script(
                "rows",
                Map.of(
                        "id", String.valueOf(form.id()),
                        "row", form.capturedRow("t"),
                        "table", Names.table(form.relation())));
    }

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

    /** Whether the triggers on the table are those of this form, and of this version of Multimed. */
    private boolean isTriggered(TableState state, TableForm form) {
        String wanted = String.join("\n", triggers(form));
        return state.triggers().size() == TRIGGERS_PER_TABLE
                && state.triggers().stream()
                        .allMatch(there -> wanted.contains(there.name()) && wanted.contains(there.body()));
    }
}
