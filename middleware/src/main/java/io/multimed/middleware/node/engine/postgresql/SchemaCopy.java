package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.SatelliteStore.SeedProgress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Copies definitions from the master's catalogue to a satellite. Without defaults, checks, foreign keys and triggers: a satellite stores the master's
 * values and computes none. Both connections have an empty search_path, so that all names come out with their schemas.
 */
final class SchemaCopy {
    private static final String USER_SCHEMA =
            "n.nspname <> 'multimed' AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'";
    private static final String NOT_OF_EXTENSION =
            "NOT EXISTS (SELECT FROM pg_depend e WHERE e.objid = %s AND e.deptype = 'e')";

    private static final String SCHEMAS =
            "SELECT format('CREATE SCHEMA IF NOT EXISTS %I', n.nspname) FROM pg_namespace n WHERE " + USER_SCHEMA;
    private static final String OLD_SCHEMAS = "SELECT format('DROP SCHEMA %I CASCADE', n.nspname) FROM pg_namespace n"
            + " WHERE n.nspname = 'multimed' OR " + USER_SCHEMA;
    private static final String EXTENSIONS =
            "SELECT format('CREATE EXTENSION IF NOT EXISTS %I', extname) FROM pg_extension WHERE extname <> 'plpgsql'";
    private static final String COLLATIONS = """
            SELECT format('CREATE COLLATION %I.%I (%s)', n.nspname, c.collname, CASE c.collprovider
                WHEN 'c' THEN format('LC_COLLATE = %L, LC_CTYPE = %L', c.collcollate, c.collctype)
                ELSE format('PROVIDER = %s, LOCALE = %L, DETERMINISTIC = %s', CASE c.collprovider WHEN 'i' THEN 'icu' ELSE 'builtin' END,
                    coalesce(to_jsonb(c) ->> 'colllocale', to_jsonb(c) ->> 'colliculocale', c.collcollate), c.collisdeterministic) END)
            FROM pg_collation c JOIN pg_namespace n ON n.oid = c.collnamespace WHERE""";
    private static final String ENUMS = """
            SELECT format('CREATE TYPE %I.%I AS ENUM (%s)', n.nspname, t.typname,
                (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
            FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'e' AND""";
    private static final String DOMAINS = """
            SELECT format('CREATE DOMAIN %I.%I AS %s%s', n.nspname, t.typname, format_type(t.typbasetype, t.typtypmod),
                CASE WHEN t.typcollation <> b.typcollation THEN format(' COLLATE %s', t.typcollation::regcollation) ELSE '' END)
            FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace JOIN pg_type b ON b.oid = t.typbasetype WHERE t.typtype = 'd' AND""";
    private static final String COMPOSITES = """
            SELECT format('CREATE TYPE %I.%I AS (%s)', n.nspname, t.typname,
                (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
                    FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped))
            FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid JOIN pg_namespace n ON n.oid = t.typnamespace WHERE c.relkind = 'c' AND""";
    private static final String RANGES = """
            SELECT format('CREATE TYPE %I.%I AS RANGE (SUBTYPE = %s, SUBTYPE_OPCLASS = %I.%I, MULTIRANGE_TYPE_NAME = %s%s%s)', n.nspname, t.typname,
                format_type(r.rngsubtype, NULL), o.nspname, k.opcname, r.rngmultitypid::regtype,
                CASE WHEN r.rngcollation <> 0 THEN format(', COLLATION = %s', r.rngcollation::regcollation) ELSE '' END,
                CASE WHEN r.rngsubdiff <> 0 AND r.rngsubdiff < 16384 THEN format(', SUBTYPE_DIFF = %s', r.rngsubdiff) ELSE '' END)
            FROM pg_range r JOIN pg_type t ON t.oid = r.rngtypid JOIN pg_namespace n ON n.oid = t.typnamespace
            JOIN pg_opclass k ON k.oid = r.rngsubopc JOIN pg_namespace o ON o.oid = k.opcnamespace WHERE""";
    private static final String SEQUENCES = """
            SELECT format('CREATE SEQUENCE %I.%I', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'S' AND c.relpersistence <> 't'
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('i')) AND""";
    private static final String TABLES = """
            SELECT format('CREATE TABLE %I.%I (%s)', n.nspname, c.relname,
                (SELECT string_agg(format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                        CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %s', a.attcollation::regcollation) ELSE '' END,
                        CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY a.attnum)
                    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
                || coalesce(' PARTITION BY ' || pg_get_partkeydef(c.oid), '')
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = '%s' AND c.relpersistence <> 't' AND""";
    private static final String FAMILY = """
            SELECT CASE WHEN c.relispartition
                THEN format('ALTER TABLE %I.%I ATTACH PARTITION %I.%I %s', m.nspname, p.relname, n.nspname, c.relname, pg_get_expr(c.relpartbound, c.oid))
                ELSE format('ALTER TABLE %I.%I INHERIT %I.%I', n.nspname, c.relname, m.nspname, p.relname) END
            FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            JOIN pg_class p ON p.oid = i.inhparent JOIN pg_namespace m ON m.oid = p.relnamespace
            WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND""";
    private static final String KEYS = """
            SELECT format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid))
            FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE k.contype IN ('p', 'u', 'x') AND c.relkind = '%s' AND""";
    private static final String INDEXES = """
            SELECT replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ')
            FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
            AND i.indisvalid AND c.relkind = '%s' AND""";

    /** Lower partitioned tables first: what they have, the higher ones adopt. */
    private static final String LOWEST_FIRST = " ORDER BY (SELECT count(*) FROM pg_partition_ancestors(c.oid)) DESC";

    private static final String ROW_SECURITY = """
            SELECT format('ALTER TABLE %I.%I ENABLE ROW LEVEL SECURITY', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relrowsecurity AND c.relpersistence <> 't' AND""";
    private static final String FUNCTIONS = """
            SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            JOIN pg_language l ON l.oid = p.prolang WHERE l.lanname IN ('sql', 'plpgsql') AND p.prokind IN ('f', 'p')
            AND p.prorettype <> 'trigger'::regtype AND p.prorettype <> 'event_trigger'::regtype AND""";

    /** Whoever reads a view needs the right to read what it reads: where that is not held here, the master answers. */
    private static final String VIEWS = """
            SELECT format('CREATE VIEW %I.%I WITH (security_invoker = true) AS %s', n.nspname, c.relname, pg_get_viewdef(c.oid))
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND""";

    private static final String OPEN_VIEWS = "SELECT format('GRANT SELECT ON %I.%I TO " + SatelliteCatalog.READER
            + "', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND "
            + USER_SCHEMA;

    private final Statement from;
    private final Statement to;
    private final Connection satellite;
    private final SeedProgress progress;

    SchemaCopy(Statement from, Statement to, SeedProgress progress) throws SQLException {
        this.from = from;
        this.to = to;
        this.satellite = to.getConnection();
        this.progress = progress;
        to.setEscapeProcessing(false);
    }

    /** Removes whatever is there. */
    void clear() throws SQLException {
        runAll(SatelliteCatalog.texts(to, OLD_SCHEMAS));
    }

    /** All that rows need, to be called before they come. */
    void copyTables() throws SQLException {
        runAll(SatelliteCatalog.texts(from, SCHEMAS));
        tryAll("extension", SatelliteCatalog.texts(from, EXTENSIONS));
        runAll(list(COLLATIONS, "c.oid"));
        runAll(list(SEQUENCES, "c.oid"));
        List<String> types = new ArrayList<>();
        types.addAll(list(ENUMS, "t.oid"));
        types.addAll(list(DOMAINS, "t.oid"));
        types.addAll(list(COMPOSITES, "t.oid"));
        types.addAll(list(RANGES, "t.oid"));
        types.addAll(list(TABLES.replace("'%s'", "'r'"), "c.oid"));
        runAll(types);
    }

    /** The rest, to be called after the rows have come. */
    void copyIndexesAndViews() throws SQLException {
        runAll(list(KEYS.replace("'%s'", "'r'"), "c.oid"));
        tryAll("function", list(FUNCTIONS, "p.oid"));
        tryAll("index", list(INDEXES.replace("'%s'", "'r'"), "c.oid"));
        runAll(list(TABLES.replace("'%s'", "'p'"), "c.oid"));
        runAll(SatelliteCatalog.texts(from, of(FAMILY, "c.oid") + " ORDER BY i.inhseqno"));
        tryAll("key", SatelliteCatalog.texts(from, of(KEYS.replace("'%s'", "'p'"), "c.oid") + LOWEST_FIRST));
        tryAll("index", SatelliteCatalog.texts(from, of(INDEXES.replace("'%s'", "'p'"), "c.oid") + LOWEST_FIRST));
        runAll(list(ROW_SECURITY, "c.oid"));
        tryAll("view", list(VIEWS, "c.oid"));
        runAll(SatelliteCatalog.texts(to, OPEN_VIEWS));
    }

    private List<String> list(String query, String oid) throws SQLException {
        return SatelliteCatalog.texts(from, of(query, oid) + " ORDER BY " + oid);
    }

    private static String of(String query, String oid) {
        return query + " " + USER_SCHEMA + " AND " + NOT_OF_EXTENSION.formatted(oid);
    }

    private void runAll(List<String> statements) throws SQLException {
        List<Failure> failures = runInSomeOrder(statements);
        if (!failures.isEmpty()) {
            throw failures.get(0).cause;
        }
    }

    /** What reads rarely need: where it cannot be made here, it is slower, or statements that use it are answered by the master. */
    private void tryAll(String kind, List<String> statements) throws SQLException {
        for (Failure failure : runInSomeOrder(statements)) {
            progress.table(kind, 0, "not copied: " + failure.cause.getMessage());
        }
    }

    private record Failure(String sql, SQLException cause) {}

    /** Things may need each other: those that fail are tried again as long as others succeed. Returns those that never did. */
    private List<Failure> runInSomeOrder(List<String> statements) throws SQLException {
        List<String> left = statements;
        while (true) {
            List<Failure> failures = new ArrayList<>();
            for (String sql : left) {
                tryOne(sql, failures);
            }
            if (failures.isEmpty() || failures.size() == left.size()) {
                return failures;
            }
            left = failures.stream().map(Failure::sql).toList();
        }
    }

    private void tryOne(String sql, List<Failure> failures) throws SQLException {
        Savepoint before = satellite.setSavepoint();
        try {
            to.execute(sql);
            satellite.releaseSavepoint(before);
        } catch (SQLException e) {
            satellite.rollback(before);
            failures.add(new Failure(sql, e));
        }
    }
}
