package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.triggers.TriggerSql;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Puts tables under capture: the triggers on the table, and in {@code multimed.relation} the form that they know. Only the tables of the database that the URL names, as it was when Multimed started.
 */
final class Capture {
    private static final String TABLES = """
            SELECT TABLE_NAME FROM information_schema.TABLES
            WHERE TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') ORDER BY TABLE_NAME""";
    private static final String TRIGGERS = """
            SELECT TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS
            WHERE EVENT_OBJECT_SCHEMA = ? AND EVENT_OBJECT_TABLE = ? AND TRIGGER_NAME REGEXP '^multimed_[0-9]+_'""";
    private static final int TRIGGERS_PER_TABLE = 3;
    private static final String REFUSED = "0A000";
    private static final int NO_TRIGGER = 1360;

    private final Connection master;
    private final String schema;
    private final TriggerSql sql = new TriggerSql(MySqlEngine.FOLDER);

    Capture(Connection master) throws SQLException {
        this.master = master;
        this.schema =
                Queries.texts(master, "SELECT database_name FROM multimed.base").get(0);
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
    boolean watchAll(HeldTables held) throws SQLException {
        boolean known = true;
        List<String> problems = new ArrayList<>();
        List<String> tables = tables();
        for (String table : tables) {
            if (held.holds(schema, table)) {
                Optional<TableForm> now = current(table, problems);
                known &= now.isEmpty() || watch(now.get());
            }
        }
        if (!problems.isEmpty()) {
            throw new SQLException(String.join(System.lineSeparator(), problems), REFUSED);
        }
        return forgetAllBut(tables) && known;
    }

    private boolean watch(TableForm now) throws SQLException {
        Optional<TableForm> before = form(now.table());
        if (before.isPresent() && isWatched(before.get(), now)) {
            return true;
        }
        TableForm form = rewatch(now);
        forget(now.table());
        register(form);
        return false;
    }

    private boolean forgetAllBut(List<String> tables) throws SQLException {
        List<TableForm> gone = new ArrayList<>(forms());
        gone.removeIf(form -> tables.contains(form.table()));
        for (TableForm form : gone) {
            forget(form.table());
        }
        return gone.isEmpty();
    }

    /** The tables that there are. */
    List<String> tables() throws SQLException {
        return Queries.texts(master, TABLES, schema);
    }

    /** The forms of the tables under capture. */
    List<TableForm> forms() throws SQLException {
        return forms(master, " AND schema_name = ?", schema);
    }

    /** The form in which a table is under capture; empty while it is away. */
    Optional<TableForm> form(String table) throws SQLException {
        return forms(master, " AND schema_name = ? AND table_name = ?", schema, table).stream()
                .findFirst();
    }

    /** Returns the definition of a captured table before it was removed from the satellites; empty if it was not. */
    Optional<TableForm> formAway(String table) throws SQLException {
        return read(master, "away AND schema_name = ? AND table_name = ?", schema, table).stream()
                .findFirst();
    }

    /** The forms of tables under capture that are not away, as the connection's snapshot sees them. */
    static List<TableForm> forms(Connection connection, String condition, Object... parameters) throws SQLException {
        return read(connection, "NOT away" + condition, parameters);
    }

    /** The forms of tables that are away, as the connection's snapshot sees them. */
    static List<TableForm> formsAway(Connection connection) throws SQLException {
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
    Optional<TableForm> current(String table, List<String> problems) throws SQLException {
        if (!tables().contains(table)) {
            return Optional.empty();
        }
        try {
            return Optional.of(TableReader.read(master, schema, table));
        } catch (SQLException e) {
            if (!REFUSED.equals(e.getSQLState())) {
                throw e;
            }
            problems.add(String.valueOf(e.getMessage()));
            return Optional.empty();
        }
    }

    /** Whether a table has the form still in which it was put under capture, and the triggers. */
    boolean isWatched(TableForm before, TableForm now) throws SQLException {
        return Arrays.equals(before.encode(), now.encode()) && isTriggered(before);
    }

    /** Whether a table has the rows still that it had when it was put under capture, and the triggers: only its indexes may be others. */
    boolean hasSameRows(TableForm before, TableForm now) throws SQLException {
        return TableIndexes.differAtMost(before, now) && isTriggered(before);
    }

    /** Puts the triggers of a form on its table; commits. Returns the form with its id, which nobody knows yet. */
    TableForm rewatch(TableForm form) throws SQLException {
        Queries.run(master, "UPDATE multimed.base SET forms = forms + 1");
        TableForm numbered = form.withId(Queries.number(master, "SELECT forms FROM multimed.base"));
        Queries.end(master);
        unwatch(form.table());
        Queries.runEach(master, triggers(numbered));
        return numbered;
    }

    /** Takes the triggers off a table, if it is there; commits. */
    void unwatch(String table) throws SQLException {
        for (String trigger : Queries.texts(master, TRIGGERS, schema, table)) {
            try {
                drop(trigger);
            } catch (SQLException e) {
                if (e.getErrorCode() != NO_TRIGGER
                        || !Queries.texts(master, TRIGGERS, schema, table).contains(trigger)) {
                    throw e;
                }
                restoreTriggerFiles(table);
                drop(trigger);
            }
        }
    }

    private void drop(String trigger) throws SQLException {
        Queries.run(master, "DROP TRIGGER " + Names.table(schema, trigger));
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
    private void register(TableForm form) throws SQLException {
        try (PreparedStatement insert =
                master.prepareStatement("INSERT INTO multimed.relation VALUES (?, ?, ?, ?, FALSE)")) {
            insert.setLong(1, form.id());
            insert.setString(2, form.schema());
            insert.setString(3, form.table());
            insert.setBytes(4, form.encode());
            insert.executeUpdate();
        }
    }

    /** In the open transaction. */
    void forget(String table) throws SQLException {
        try (PreparedStatement delete =
                master.prepareStatement("DELETE FROM multimed.relation WHERE schema_name = ? AND table_name = ?")) {
            delete.setString(1, schema);
            delete.setString(2, table);
            delete.executeUpdate();
        }
    }

    /** In the open transaction: from here on satellites do not have the table. */
    void takeAway(TableForm form) throws SQLException {
        Queries.run(master, "UPDATE multimed.relation SET away = TRUE WHERE id = " + form.id());
        tellGone(form.id());
    }

    private void tellGone(long id) throws SQLException {
        Queries.run(master, "CALL multimed.tell_form(" + id + ", NULL)");
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

    /** In the open transaction: those of the tables that are away do not come back. */
    void forgetAway(Set<String> tables) throws SQLException {
        for (String table : tables) {
            if (form(table).isEmpty()) {
                forget(table);
            }
        }
    }

    /** In the open transaction: from here on the table, which is under capture with that id, has this form, and the same rows. */
    void change(TableForm form) throws SQLException {
        reform(master, form);
        tellForm(form);
    }

    /** In the open transaction, on the master or a satellite. */
    static void reform(Connection connection, TableForm form) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE multimed.relation SET form = ? WHERE id = ?")) {
            update.setBytes(1, form.encode());
            update.setLong(2, form.id());
            update.executeUpdate();
        }
    }

    private void tellForm(TableForm form) throws SQLException {
        try (PreparedStatement tell = master.prepareStatement("CALL multimed.tell_form(" + form.id() + ", ?)")) {
            tell.setBytes(1, form.encode());
            tell.execute();
        }
    }

    /**
     * In the open transaction: from here on satellites have the table in this form, with the rows that it has now. They
     * and the places where others could come are locked until the transaction ends.
     *
     * @param alone whether no other statement is changing tables; otherwise a table that it has renamed may still have
     *     the triggers of the id that is replaced here, and satellites must ignore their rows
     */
    void bring(TableForm form, boolean alone) throws SQLException {
        Optional<TableForm> away = alone ? Optional.empty() : formAway(form.table());
        if (away.isPresent()
                && away.get().id() != form.id()
                && isInUse(away.get().id())) {
            tellGone(away.get().id());
        }
        forget(form.table());
        register(form);
        tellForm(form);
        try (Statement statement = master.createStatement()) {
            statement.executeUpdate(rows(form));
        }
    }

    /** The statement that captures all rows of a table as inserted ones. */
    private String rows(TableForm form) {
        return sql.script(
                "rows",
                Map.of(
                        "id", String.valueOf(form.id()),
                        "row", form.capturedRow("t"),
                        "table", Names.table(form.relation())));
    }

    private String triggers(TableForm form) {
        return sql.script(
                "watch",
                Map.of(
                        "schema", Names.identifier(form.schema()),
                        "table", Names.table(form.relation()),
                        "id", String.valueOf(form.id()),
                        "old", form.capturedRow("OLD"),
                        "new", form.capturedRow("NEW")));
    }

    /** Whether the triggers on the table are those of this form, and of this version of Multimed. */
    private boolean isTriggered(TableForm form) throws SQLException {
        String wanted = triggers(form);
        List<Boolean> there = Queries.list(
                master,
                TRIGGERS,
                row -> wanted.contains(row.getString(1)) && wanted.contains(row.getString(2)),
                schema,
                form.table());
        return there.size() == TRIGGERS_PER_TABLE && !there.contains(false);
    }
}
