// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
 * Detects changes of captured tables that bypass Multimed and fire no trigger: TRUNCATE, DROP, RENAME, and most of
 * ALTER. InnoDB numbers its tables and partitions, and assigns another number to a table that is emptied or rebuilt.
 * The numbers of all captured tables are stored in {@code multimed.identity} with each change that Multimed knows of.
 * Tables whose names contain other than plain characters are not examined.
 */
public final class TableIdentities {
    private static final Logger LOG = LoggerFactory.getLogger(TableIdentities.class);

    /** Reads the number and the count of columns of each table, and of each partition. */
    private static final String CURRENT =
            "SELECT LOWER(NAME), CONCAT(TABLE_ID, ' ', N_COLS) FROM information_schema.%s WHERE SUBSTRING_INDEX(NAME, '/', 1) = %s ORDER BY TABLE_ID";

    /** The storage engine's name of a table, or of a part of one. */
    private static final Pattern NAME = Pattern.compile("[^/]*/([a-z0-9_$]+)(#p#.*)?");

    /**
     * Stands for a table that did not exist when it was looked up: its DDL may be in progress, after which it exists
     * again.
     */
    private static final String GONE = "";

    private final Connection master;
    private final String schema;

    /** @param schema the database whose tables are replicated */
    public TableIdentities(Connection master, String schema) {
        this.master = master;
        this.schema = schema;
    }

    /**
     * Returns a list that contains, after the round trip, the identities of the tables in the database. MariaDB and
     * MySQL name the view of InnoDB's dictionary differently.
     */
    public List<Kept> kept(RoundTrip trip) throws SQLException {
        String catalog = MySqlServer.isMariaDb(master) ? "INNODB_SYS_TABLES" : "INNODB_TABLES";
        return trip.ask(
                CURRENT.formatted(catalog, Names.value(schema)), row -> new Kept(row.getString(1), row.getString(2)));
    }

    /**
     * Records in the open transaction that these tables now have the right content, or are gone.
     *
     * @param captured the tables that are under capture
     */
    public static void note(RoundTrip trip, List<Kept> kept, Collection<String> tables, Collection<String> captured) {
        Map<String, String> now = byName(kept);
        now.keySet().retainAll(captured.stream().map(TableIdentities::lower).toList());
        for (String table : tables) {
            String name = Names.value(lower(table));
            String identity = now.get(lower(table));
            trip.execute("DELETE FROM multimed.identity WHERE name = " + name);
            if (identity != null) {
                trip.execute("INSERT INTO multimed.identity VALUES (%s, %s)".formatted(name, Names.literal(identity)));
            }
        }
    }

    /** Records in the open transaction that all tables under capture now have the right content. */
    public void noteAll(List<TableForm> captured) throws SQLException {
        List<String> tables = captured.stream().map(TableForm::table).toList();
        RoundTrip question = new RoundTrip();
        List<Kept> kept = kept(question);
        question.send(master);
        RoundTrip trip = new RoundTrip().execute("DELETE FROM multimed.identity");
        note(trip, kept, tables, tables);
        trip.send(master);
    }

    /** Records in the open transaction those of these names that belonged to tables under capture and no longer do. */
    public void noteGone(Set<String> names, List<TableForm> captured) throws SQLException {
        Set<String> gone = new TreeSet<>(names);
        captured.forEach(form -> gone.remove(lower(form.table())));
        for (String name : gone) {
            run("REPLACE INTO multimed.identity VALUES (?, ?)", name, GONE);
        }
    }

    /** Returns the recorded names, including those of tables that are gone, in lower case. */
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

    /**
     * Returns whether all tables are as they were recorded. Returns true while DDL through Multimed is in progress,
     * which records its own result. Ends the transaction; logs the names of tables that differ.
     */
    public boolean areAsNoted() throws SQLException {
        Map<String, String> before = noted();
        boolean busy = isBusy();
        Map<String, String> now = current();
        // The next reads need a new snapshot.
        Queries.end(master);
        if (busy || isBusy() || !noted().equals(before)) {
            // DDL is in progress, and records its result itself.
            return true;
        }
        Set<String> others = new TreeSet<>(before.keySet());
        others.removeIf(name -> Objects.equals(before.get(name), now.getOrDefault(name, GONE)));
        if (!others.isEmpty()) {
            LOG.warn(
                    "DDL that bypassed Multimed changed these tables on the master: {}; the satellites are seeded again",
                    String.join(", ", others));
        }
        return others.isEmpty();
    }

    /** Returns whether DDL through Multimed is in progress. */
    private boolean isBusy() throws SQLException {
        return Queries.number(
                        master,
                        "SELECT EXISTS (SELECT 1 FROM multimed.intent) OR EXISTS (SELECT 1 FROM multimed.changing)")
                > 0;
    }

    /**
     * Returns whether DDL through Multimed is in progress although the open transaction has begun before: what the
     * transaction has recorded of its tables may be wrong. DDL that ends later waits for the records.
     */
    public boolean isBusyNow() throws SQLException {
        return !Queries.texts(master, "SELECT connection FROM multimed.intent LOCK IN SHARE MODE")
                        .isEmpty()
                || !Queries.texts(master, "SELECT name FROM multimed.changing LOCK IN SHARE MODE")
                        .isEmpty();
    }

    /** Returns the recorded identities by the tables' names. */
    private Map<String, String> noted() throws SQLException {
        Map<String, String> noted = new HashMap<>();
        Queries.list(
                master,
                "SELECT name, identity FROM multimed.identity",
                row -> noted.put(row.getString(1), row.getString(2)));
        return noted;
    }

    /** Returns the present identities by the tables' names in lower case. */
    private Map<String, String> current() throws SQLException {
        RoundTrip trip = new RoundTrip();
        List<Kept> kept = kept(trip);
        trip.send(master);
        return byName(kept);
    }

    /** Joins the identities of a table's partitions. Omits InnoDB's internal tables of full-text indexes. */
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

    /** The identity of a table, or of a part of one, in the storage engine. */
    public record Kept(String name, String identity) {}
}
