// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.postgresql.connection.ViewExpressions;
import io.multimed.engine.postgresql.sql.CatalogQuery;
import io.multimed.engine.sql.TableNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reads which tables a query on PostgreSQL reads, by the names in its text (architecture 4.1). Captured rows contain
 * the table that holds them, which may be a partition or a child of the table that a query names. Object identifiers
 * below 16384 are those of built-in objects, which read no tables of users: those that run SQL in a text are no pure
 * functions, and satellites have no views that call them.
 */
final class PostgresTableNames {
    /**
     * Selects two facts about the code that a query runs without naming it. The first: whether there is any that is not
     * known to compute its result from its arguments alone. Operators with a percent sign, such as those of pg_trgm, do
     * not count for it. The second: whether such operators depend on more than their arguments.
     */
    private static final String UNNAMED_CODE = """
            SELECT coalesce(bool_or(NOT u.known OR NOT (u.immutable OR u.percent)), false),
                coalesce(bool_or(u.percent AND NOT u.immutable), false) FROM multimed.unnamed_code u""";

    /** Condition on a schema n: it is not one of those whose tables no query reads on a satellite. */
    private static final String OF_USERS =
            "n.nspname NOT IN ('multimed', 'pg_catalog', 'information_schema', 'pg_toast') AND n.nspname !~ '^pg_(toast_)?temp'";

    /** Selects tables and views, and whether a view or a policy may contain now(). */
    private static final String RELATIONS = """
            SELECT c.oid::bigint, n.nspname::text, c.relname::text, c.relkind::text, c.relkind = 'v' OR c.relrowsecurity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND %s""".formatted(OF_USERS);

    /** Selects views of ordinary tables, whose rows depend on nothing but the rows of these tables. */
    private static final String OF_ROWS = """
            SELECT w.ev_class::bigint FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'v' AND w.ev_type = '1' AND %s AND w.ev_action::text !~ '%s'
            AND NOT EXISTS (SELECT FROM regexp_matches(w.ev_action::text, '%s', 'g') AS m JOIN pg_proc p ON p.oid = m[1]::oid WHERE p.provolatile <> 'i')
            AND NOT EXISTS (SELECT FROM regexp_matches(w.ev_action::text, '%s', 'g') AS m JOIN pg_operator o ON o.oid = m[1]::oid
                JOIN pg_proc p ON p.oid = o.oprcode WHERE p.provolatile <> 'i')
            AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_class s ON s.oid = d.refobjid
                WHERE d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid AND d.refclassid = 'pg_class'::regclass
                AND d.refobjid <> w.ev_class AND (s.relkind <> 'r' OR s.relrowsecurity))""".formatted(
                    OF_USERS, ViewExpressions.MUTABLE_NODES, ViewExpressions.FUNCTIONS, ViewExpressions.OPERATORS);

    /** Selects functions that may read tables; those that superusers have added to the engine's own schema, too. */
    private static final String FUNCTIONS = """
            SELECT DISTINCT p.proname::text FROM pg_proc p
            WHERE p.oid >= 16384 AND p.pronamespace <> 'multimed'::regnamespace""";

    /**
     * Selects pairs of a table or view and what is read with it. A view that calls a user's function reads the
     * function, which is no table. A child table is detached from its parent on the satellites only when they have been
     * told so.
     */
    private static final String READS = """
            SELECT inhparent::bigint, inhrelid::bigint FROM pg_inherits
            UNION SELECT owner::bigint, id::bigint FROM multimed.told WHERE rank = 80
            UNION SELECT w.ev_class::bigint, d.refobjid::bigint FROM pg_rewrite w
                JOIN pg_depend d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                WHERE w.ev_type = '1' AND d.refobjid >= 16384 AND d.refobjid <> w.ev_class
                AND d.refclassid IN ('pg_class'::regclass, 'pg_proc'::regclass, 'pg_operator'::regclass)""";

    /**
     * Selects the columns of tables in the order of a row's text, and how their equality compares. Tables with
     * generated columns, with policies, or with columns of the type timetz, whose comparison may depend on the current
     * date, are missing.
     */
    private static final String COLUMNS = """
            SELECT c.oid::bigint, a.attname::text, CASE WHEN a.atttypid IN (20, 21, 23) THEN 'INTEGER'
                WHEN a.atttypid IN (25, 1043) AND l.collisdeterministic THEN 'TEXT' ELSE 'NONE' END
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
                LEFT JOIN pg_collation l ON l.oid = a.attcollation
            WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND NOT c.relrowsecurity AND %s
                AND NOT EXISTS (SELECT FROM pg_attribute g WHERE g.attrelid = c.oid AND (g.attgenerated <> '' OR g.atttypid = 'timetz'::regtype))
            ORDER BY c.oid, a.attnum""".formatted(OF_USERS);

    private PostgresTableNames() {}

    static TableNames read(Connection master) throws SQLException {
        TableNames.Builder names = new TableNames.Builder();
        relations(master, names);
        try (PreparedStatement statement = master.prepareStatement(UNNAMED_CODE);
                ResultSet row = statement.executeQuery()) {
            row.next();
            if (row.getBoolean(1)) {
                return names.withoutTables();
            }
            if (row.getBoolean(2)) {
                names.opaque(TableNames.PERCENT);
            }
        }
        columns(master, names);
        CatalogQuery.forEach(master, FUNCTIONS, row -> names.opaque(row.getString(1)));
        CatalogQuery.forEach(master, READS, row -> names.reads(row.getLong(1), row.getLong(2)));
        return names.build();
    }

    private static void columns(Connection master, TableNames.Builder names) throws SQLException {
        Map<Long, List<TableNames.Column>> columns = new HashMap<>();
        CatalogQuery.forEach(
                master,
                COLUMNS,
                row -> columns.computeIfAbsent(row.getLong(1), unused -> new ArrayList<>())
                        .add(new TableNames.Column(row.getString(2), TableNames.Exactness.valueOf(row.getString(3)))));
        columns.forEach(names::columns);
    }

    /** Materialized views, foreign tables and sequences exist on the master only, where queries that name them run. */
    private static void relations(Connection master, TableNames.Builder names) throws SQLException {
        Set<Long> ofRows = new HashSet<>();
        CatalogQuery.forEach(master, OF_ROWS, row -> {
            ofRows.add(row.getLong(1));
            names.computedFromRows(row.getLong(1));
        });
        CatalogQuery.forEach(master, RELATIONS, row -> {
            long id = row.getLong(1);
            String schema = row.getString(2);
            String name = row.getString(3);
            switch (row.getString(4)) {
                case "r", "p" -> names.table(id, schema, name);
                case "v" -> names.view(id, schema, name);
                default -> names.opaque(name);
            }
            if (row.getBoolean(5) && !ofRows.contains(id)) {
                names.timed(schema, name);
            }
        });
    }
}
