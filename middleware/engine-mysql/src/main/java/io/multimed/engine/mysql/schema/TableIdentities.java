package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoundTrip;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what was done to tables under capture past Multimed, where no trigger fires: TRUNCATE, DROP, RENAME, and most of ALTER. The storage engine numbers what a table is kept in, and gives another number to what is emptied or made
 * anew; what Multimed knows of is noted with it in {@code multimed.identity}. Tables with other than plain names are not looked at.
 */
public final class TableIdentities {
    private static final Logger LOG = LoggerFactory.getLogger(TableIdentities.class);
    private static final String CURRENT =
            "SELECT LOWER(NAME), CONCAT(TABLE_ID, ' ', N_COLS) FROM information_schema.%s WHERE NAME LIKE CONCAT(%s, '/%%') ORDER BY TABLE_ID";

    /** A table, or a part of one. */
    private static final Pattern NAME = Pattern.compile("[^/]*/([a-z0-9_$]+)(#p#.*)?");

    /** Stands for a table that was gone when it was looked for: it may be on its way from one form to another, and come back. */
    private static final String GONE = "";

    private final Connection master;
    private final String schema;

    public TableIdentities(Connection master, String schema) {
        this.master = master;
        this.schema = schema;
    }

    /** What the storage engine keeps the tables of the database in, when the round trip has been sent. */
    public List<Kept> kept(RoundTrip trip) throws SQLException {
        String catalogue = MySqlServer.isMariaDb(master) ? "INNODB_SYS_TABLES" : "INNODB_TABLES";
        return trip.ask(
                CURRENT.formatted(catalogue, Names.value(schema)), row -> new Kept(row.getString(1), row.getString(2)));
    }

    /**
     * In the open transaction: these tables are now as they should be, or gone.
     *
     * @param captured those that are under capture
     */
    public static void note(RoundTrip trip, List<Kept> kept, Collection<String> tables, Collection<String> captured) {
        Map<String, String> now = byName(kept);
        now.keySet().retainAll(captured.stream().map(TableIdentities::lower).toList());
        for (String table : tables) {
            String name = Names.value(lower(table));
            String identity = now.get(lower(table));
            trip.run("DELETE FROM multimed.identity WHERE name = " + name);
            if (identity != null) {
                trip.run("INSERT INTO multimed.identity VALUES (%s, %s)".formatted(name, Names.literal(identity)));
            }
        }
    }

    /** In the open transaction: so are all that are under capture. */
    public void noteAll(List<TableForm> captured) throws SQLException {
        List<String> tables = captured.stream().map(TableForm::table).toList();
        RoundTrip question = new RoundTrip();
        List<Kept> kept = kept(question);
        question.send(master);
        RoundTrip trip = new RoundTrip().run("DELETE FROM multimed.identity");
        note(trip, kept, tables, tables);
        trip.send(master);
    }

    /** In the open transaction: of these names, by which there were tables under capture, those that are not any more are gone. */
    public void noteGone(Set<String> names, List<TableForm> captured) throws SQLException {
        Set<String> gone = new TreeSet<>(names);
        captured.forEach(form -> gone.remove(lower(form.table())));
        for (String name : gone) {
            run("REPLACE INTO multimed.identity VALUES (?, ?)", name, GONE);
        }
    }

    /** Those that there are notes of, gone ones too, in lower case. */
    public Set<String> names() throws SQLException {
        return new HashSet<>(noted().keySet());
    }

    private void run(String sql, String... values) throws SQLException {
        try (PreparedStatement statement = master.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.executeUpdate();
        }
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    /** Whether all tables are as they were noted, so far as Multimed has to do with them now; ends the transaction. */
    public boolean areAsNoted() throws SQLException {
        Map<String, String> before = noted();
        boolean busy = isBusy();
        Map<String, String> now = current();
        Queries.end(master); // another snapshot
        if (busy || isBusy() || !noted().equals(before)) {
            return true; // DDL is under way, which notes by itself what comes of it
        }
        Set<String> others = new TreeSet<>(before.keySet());
        others.removeIf(name -> Objects.equals(before.get(name), now.getOrDefault(name, GONE)));
        if (!others.isEmpty()) {
            LOG.warn(
                    "changed past Multimed, by DDL straight on the engine: {}; satellites begin anew",
                    String.join(", ", others));
        }
        return others.isEmpty();
    }

    private boolean isBusy() throws SQLException {
        return Queries.number(
                        master,
                        "SELECT EXISTS (SELECT 1 FROM multimed.intent) OR EXISTS (SELECT 1 FROM multimed.changing)")
                > 0;
    }

    private Map<String, String> noted() throws SQLException {
        Map<String, String> noted = new HashMap<>();
        Queries.list(
                master,
                "SELECT name, identity FROM multimed.identity",
                row -> noted.put(row.getString(1), row.getString(2)));
        return noted;
    }

    /** What each table of the database is kept in, by its name in lower case. */
    private Map<String, String> current() throws SQLException {
        RoundTrip trip = new RoundTrip();
        List<Kept> kept = kept(trip);
        trip.send(master);
        return byName(kept);
    }

    private static Map<String, String> byName(List<Kept> kept) {
        Map<String, String> identities = new TreeMap<>();
        for (Kept one : kept) {
            Matcher plain = NAME.matcher(one.name());
            if (plain.matches() && !plain.group(1).startsWith("fts_")) {
                identities.merge(plain.group(1), one.identity(), (some, other) -> some + ", " + other);
            }
        }
        return identities;
    }

    /** What the storage engine keeps a table, or a part of one, in. */
    public record Kept(String name, String identity) {}
}
