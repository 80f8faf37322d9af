// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import static java.util.stream.Collectors.joining;

import io.multimed.engine.postgresql.connection.Queries;
import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.ViewExpressions;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.sql.ViewKeys;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A view whose rows depend on nothing but the rows of ordinary tables that the satellite holds.
 *
 * @param id the engine's number of the view
 * @param view the qualified, quoted name
 * @param options of the view, as behind WITH; empty if it has none
 * @param definition the query, in which all names are qualified, and all columns have the names of the view's columns
 * @param columns names and types of the columns, in their order
 * @param tables the tables of the query, by their qualified names
 */
record ViewSource(
        long id, String view, String options, String definition, Map<String, String> columns, Set<String> tables) {
    /** The option of all views on a satellite: a view is readable if its tables are. */
    private static final String READERS_RIGHTS = "security_invoker=true";

    private static final String NOT_SUPPORTED = "0A000";

    private static final String FIND = """
            SELECT c.oid, format('%%I.%%I', n.nspname, c.relname), rtrim(pg_get_viewdef(c.oid), '; '), coalesce(array_to_string(c.reloptions, ', '), '')
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'v' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'multimed')
            AND lower(%s) IN (lower(c.relname), lower(n.nspname || '.' || c.relname))""";

    private static final String COLUMNS =
            "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = %d AND attnum > 0 ORDER BY attnum";

    private static final String TABLES = """
            SELECT DISTINCT n.nspname, c.relname, c.relkind = 'r' AND c.relpersistence <> 't' AND NOT c.relrowsecurity
                AND NOT EXISTS (SELECT FROM pg_inherits i WHERE c.oid IN (i.inhparent, i.inhrelid))
            FROM pg_rewrite r JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
            JOIN pg_class c ON c.oid = d.refobjid AND c.oid <> r.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE r.ev_class = %d""";

    /** Functions and operators that are not immutable, and expressions whose value may depend on settings. */
    private static final String MUTABLE =
            """
            WITH tree AS (SELECT ev_action::text AS t FROM pg_rewrite WHERE ev_class = %%d),
            called AS (SELECT (regexp_matches(t, '%s', 'g'))[1]::oid AS id FROM tree
                UNION SELECT o.oprcode FROM tree, regexp_matches(t, '%s', 'g') AS m, pg_operator o WHERE o.oid = m[1]::oid)
            SELECT p.oid::regprocedure::text FROM called JOIN pg_proc p ON p.oid = called.id WHERE p.provolatile <> 'i'
            UNION ALL SELECT lower(m[1]) FROM tree, regexp_matches(t, '%s', 'g') AS m""".formatted(ViewExpressions.FUNCTIONS, ViewExpressions.OPERATORS, ViewExpressions.MUTABLE_NODES);

    private static final String SAME_TYPE = """
            SELECT count(*) FROM pg_attribute a JOIN pg_attribute o ON o.atttypid = a.atttypid AND o.atttypmod = a.atttypmod AND o.attcollation = a.attcollation
            WHERE a.attrelid = to_regclass(%s) AND a.attname = %s AND o.attrelid = %d AND o.attname = %s""";

    /**
     * Finds a view by its name.
     *
     * @param statement in a transaction without a search path
     * @throws SQLException 42704 if there is not exactly one view of this name; 0A000 if its rows cannot be stored
     */
    static ViewSource find(Statement statement, MaterializedView view, ReplicatedTables held) throws SQLException {
        ViewSource found;
        try (ResultSet row = statement.executeQuery(FIND.formatted(Quoting.literal(view.name())))) {
            if (!row.next()) {
                throw new SQLException("the satellite has no view of this name", "42704");
            }
            found = new ViewSource(
                    row.getLong(1), row.getString(2), row.getString(4), row.getString(3), Map.of(), Set.of());
            if (row.next()) {
                throw new SQLException("several schemas have a view of this name: write schema.view", "42704");
            }
        }
        if (!found.options.isEmpty() && !found.options.equals(READERS_RIGHTS)) {
            throw refused("the view has options: " + found.options);
        }
        List<String> mutable = Queries.texts(statement, MUTABLE.formatted(found.id));
        if (!mutable.isEmpty()) {
            throw refused("the result may depend on more than rows: " + String.join(", ", new TreeSet<>(mutable)));
        }
        return new ViewSource(
                found.id,
                found.view,
                found.options,
                found.definition,
                columns(statement, found.id),
                tables(statement, found.id, held));
    }

    private static SQLException refused(String why) {
        return new SQLException(why, NOT_SUPPORTED);
    }

    private static Map<String, String> columns(Statement statement, long view) throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        try (ResultSet rows = statement.executeQuery(COLUMNS.formatted(view))) {
            while (rows.next()) {
                columns.put(rows.getString(1), rows.getString(2));
            }
        }
        return columns;
    }

    private static Set<String> tables(Statement statement, long view, ReplicatedTables held) throws SQLException {
        Set<String> tables = new TreeSet<>();
        try (ResultSet rows = statement.executeQuery(TABLES.formatted(view))) {
            while (rows.next()) {
                String name = MaterializedViews.name(rows.getString(1), rows.getString(2));
                if (!rows.getBoolean(3)) {
                    throw refused(
                            name + " is no ordinary table, has partitions or children, or has row-level security");
                }
                if (!held.includes(rows.getString(1), rows.getString(2))) {
                    throw refused("the satellite does not hold " + name);
                }
                tables.add(name);
            }
        }
        return tables;
    }

    /** Returns the statement that makes the view what it is now. */
    String restoration() {
        return "CREATE OR REPLACE VIEW %s%s AS %s"
                .formatted(view, options.isEmpty() ? "" : " WITH (" + options + ")", definition);
    }

    /**
     * Returns the statement that makes the view one on stored rows. Readers have no rights on the table that stores the
     * rows; they may read the view because the satellite holds all its tables. The view fails for transactions whose
     * snapshots precede the stored rows.
     */
    String redirection(String storage) throws SQLException {
        List<String> order = ViewKeys.order(definition, Quoting::identifier)
                .orElseThrow(() -> refused("the rows are ordered by values that are no columns of the view"));
        return "CREATE OR REPLACE VIEW %s%s AS SELECT %s FROM multimed.%s WHERE multimed.require_rows(%s)%s"
                .formatted(
                        view,
                        options.isEmpty() ? "" : " WITH (security_invoker=false)",
                        columns.keySet().stream().map(Quoting::identifier).collect(joining(", ")),
                        storage,
                        Quoting.literal(storage),
                        order.isEmpty() ? "" : " ORDER BY " + String.join(", ", order));
    }

    /**
     * Returns a key for each table; nothing if there is no such key, or if the columns that equal an output column have
     * different types.
     */
    List<ViewKeys.Key> keys(Statement statement) throws SQLException {
        List<ViewKeys.Key> keys = ViewKeys.of(definition);
        if (keys.size() != tables.size()) {
            return List.of();
        }
        for (ViewKeys.Key key : ViewKeys.compared(definition)) {
            String table = Quoting.identifier(key.schema()) + '.' + Quoting.identifier(key.table());
            String same = SAME_TYPE.formatted(
                    Quoting.literal(table), Quoting.literal(key.column()), id, Quoting.literal(key.output()));
            if (Queries.number(statement, same) == 0) {
                return List.of();
            }
        }
        return keys;
    }
}
