package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.sql.ReadProof;
import io.multimed.middleware.writeset.Change.StatementChange;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The master's views that satellites have: those whose text, as the engine keeps it, is proved to be a pure read. All others are the master's alone. What satellites were
 * told is kept on the master, and is what a new satellite gets.
 */
final class Views {
    private static final String VIEWS =
            "SELECT TABLE_NAME, COLLATION_CONNECTION, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ?";
    private static final String COLUMNS =
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION";

    private static final MySqlReader READER = new MySqlReader();
    private static final ReadProof PROOF = new ReadProof(READER.readRules(), MySqlDialect.SCHEMA_FACTS);

    private final Connection master;
    private final String schema;

    /** @param schema whose views they are */
    Views(Connection master, String schema) {
        this.master = master;
        this.schema = schema;
    }

    /**
     * A view that satellites can have.
     *
     * @param collation of the texts in it
     * @param sql makes it
     */
    record View(String name, String collation, String sql) {}

    /** The views that there are now and that satellites can have. */
    private List<View> current() throws SQLException {
        List<View> views = new ArrayList<>();
        for (View found : Queries.list(
                master, VIEWS, row -> new View(row.getString(1), row.getString(2), row.getString(3)), schema)) {
            if (READER.judge(READER.read(found.sql()), () -> PROOF).isPureRead()) {
                statement(found).ifPresent(sql -> views.add(new View(found.name(), found.collation(), sql)));
            }
        }
        return views;
    }

    /** A view that lacks what it names has no columns: then what was told of it, if it has not been changed since. */
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

    /** What satellites were told, as the connection's snapshot sees it. */
    static List<View> told(Connection connection) throws SQLException {
        return Queries.list(
                connection,
                "SELECT name, collation, statement FROM multimed.told_view",
                row -> new View(row.getString(1), row.getString(2), row.getString(3)));
    }

    /** Notes all views as told; in the open transaction. False if others had been told. */
    boolean noteAll() throws SQLException {
        List<View> now = current();
        if (Set.copyOf(now).equals(Set.copyOf(told(master)))) {
            return true;
        }
        Queries.run(master, "DELETE FROM multimed.told_view");
        for (View view : now) {
            note(view);
        }
        return false;
    }

    private void note(View view) throws SQLException {
        try (PreparedStatement insert = master.prepareStatement("REPLACE INTO multimed.told_view VALUES (?, ?, ?)")) {
            insert.setString(1, view.name());
            insert.setString(2, view.collation());
            insert.setString(3, view.sql());
            insert.executeUpdate();
        }
    }

    /** In the open transaction: satellites do not have those of the named views any more that they have. False if that is none. */
    boolean takeAway(Collection<String> names) throws SQLException {
        boolean any = false;
        for (View view : told(master)) {
            if (names.contains(view.name())) {
                tell("", "DROP VIEW IF EXISTS " + Names.table(schema, view.name()));
                try (PreparedStatement delete =
                        master.prepareStatement("DELETE FROM multimed.told_view WHERE name = ?")) {
                    delete.setString(1, view.name());
                    delete.executeUpdate();
                }
                any = true;
            }
        }
        return any;
    }

    /** In the open transaction: satellites have those of the named views that there are now, and that they can have. */
    void bring(Collection<String> names) throws SQLException {
        if (names.isEmpty()) {
            return;
        }
        // Whoever does the same to a view later reads it later, too.
        Queries.number(master, "SELECT one FROM multimed.base FOR UPDATE");
        for (View view : current()) {
            if (names.contains(view.name())) {
                note(view);
                tell(view.collation(), view.sql());
            }
        }
    }

    private void tell(String collation, String sql) throws SQLException {
        try (PreparedStatement tell = master.prepareStatement("CALL multimed.tell_statement(?, ?)")) {
            tell.setString(1, collation);
            tell.setBytes(2, sql.getBytes(StandardCharsets.UTF_8));
            tell.execute();
        }
    }

    /** The statements that make views. */
    static List<StatementChange> statements(List<View> views) {
        return views.stream()
                .map(view -> new StatementChange(view.collation(), view.sql()))
                .toList();
    }
}
