package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.middleware.node.engine.SatelliteStore.SeedProgress;
import io.multimed.middleware.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;
import org.postgresql.core.BaseConnection;

/**
 * Copies the master's schema and rows to a satellite, as one snapshot of the master sees them, in one transaction of the satellite. Tables that are not
 * held come without rows, so that later DDL finds them. Rows stream through; memory does not grow with them.
 */
final class PostgresSeeder {
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
    private static final String ENUMS = """
            SELECT format('CREATE TYPE %I.%I AS ENUM (%s)', n.nspname, t.typname,
                (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid))
            FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'e' AND""";
    private static final String DOMAINS = """
            SELECT format('CREATE DOMAIN %I.%I AS %s', n.nspname, t.typname, format_type(t.typbasetype, t.typtypmod))
            FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype = 'd' AND""";
    private static final String COMPOSITES = """
            SELECT format('CREATE TYPE %I.%I AS (%s)', n.nspname, t.typname,
                (SELECT string_agg(format('%I %s', attname, format_type(atttypid, atttypmod)), ', ' ORDER BY attnum)
                    FROM pg_attribute WHERE attrelid = t.typrelid AND attnum > 0 AND NOT attisdropped))
            FROM pg_type t JOIN pg_class c ON c.oid = t.typrelid JOIN pg_namespace n ON n.oid = t.typnamespace WHERE c.relkind = 'c' AND""";
    private static final String TABLES = """
            SELECT format('CREATE TABLE %I.%I (%s)', n.nspname, c.relname,
                (SELECT string_agg(format('%I %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
                        CASE WHEN a.attcollation <> t.typcollation THEN format(' COLLATE %s', a.attcollation::regcollation) ELSE '' END,
                        CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END), ', ' ORDER BY a.attnum)
                    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
                    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped))
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND""";
    private static final String SEQUENCES = """
            SELECT format('CREATE SEQUENCE %I.%I', n.nspname, c.relname)
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'S' AND c.relpersistence <> 't'
            AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('i')) AND""";
    private static final String KEYS = """
            SELECT format('ALTER TABLE %I.%I ADD CONSTRAINT %I %s', n.nspname, c.relname, k.conname, pg_get_constraintdef(k.oid))
            FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE k.contype IN ('p', 'u', 'x') AND c.relkind = 'r' AND""";
    private static final String INDEXES = """
            SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
            AND i.indisvalid AND c.relkind = 'r' AND""";
    private static final String FUNCTIONS = """
            SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
            JOIN pg_language l ON l.oid = p.prolang WHERE l.lanname IN ('sql', 'plpgsql') AND p.prokind IN ('f', 'p')
            AND p.prorettype <> 'trigger'::regtype AND p.prorettype <> 'event_trigger'::regtype AND""";
    private static final String VIEWS = """
            SELECT format('CREATE VIEW %I.%I AS %s', n.nspname, c.relname, pg_get_viewdef(c.oid))
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND""";

    private final Connection master;
    private final Connection satellite;
    private final HeldTables held;
    private final SeedProgress progress;

    PostgresSeeder(Connection master, Connection satellite, HeldTables held, SeedProgress progress) {
        this.master = master;
        this.satellite = satellite;
        this.held = held;
        this.progress = progress;
    }

    void copy() throws SQLException {
        try (Statement from = master.createStatement();
                Statement to = satellite.createStatement()) {
            from.execute("SET LOCAL search_path = ''"); // all names come out with their schemas
            to.execute("SET LOCAL search_path = ''");
            to.execute("SET LOCAL enable_seqscan = on"); // for building indexes and checking constraints
            clear(to);
            copySchema(from, to);
            for (Relation relation : PostgresMasterStore.relations(from)) {
                copyRows(relation);
            }
            runAll(to, SatelliteCatalog.texts(from, of(KEYS, "c.oid") + " ORDER BY k.contype"));
            runAll(to, SatelliteCatalog.texts(from, of(INDEXES, "c.oid")));
            tryAll(to, "function", SatelliteCatalog.texts(from, of(FUNCTIONS, "p.oid")));
            tryAll(to, "view", SatelliteCatalog.texts(from, of(VIEWS, "c.oid") + " ORDER BY c.oid"));
            openViews(to);
        }
    }

    private static void clear(Statement to) throws SQLException {
        runAll(to, SatelliteCatalog.texts(to, OLD_SCHEMAS));
    }

    private void copySchema(Statement from, Statement to) throws SQLException {
        runAll(to, SatelliteCatalog.texts(from, SCHEMAS));
        tryAll(to, "extension", SatelliteCatalog.texts(from, EXTENSIONS));
        runAll(to, SatelliteCatalog.texts(from, of(ENUMS, "t.oid")));
        runAll(to, SatelliteCatalog.texts(from, of(DOMAINS, "t.oid") + " ORDER BY t.oid"));
        runAll(to, SatelliteCatalog.texts(from, of(COMPOSITES, "t.oid") + " ORDER BY t.oid"));
        runAll(to, SatelliteCatalog.texts(from, of(SEQUENCES, "c.oid")));
        runAll(to, SatelliteCatalog.texts(from, of(TABLES, "c.oid")));
    }

    private static String of(String query, String oid) {
        return query + " " + USER_SCHEMA + " AND " + NOT_OF_EXTENSION.formatted(oid);
    }

    private static void runAll(Statement to, List<String> statements) throws SQLException {
        to.setEscapeProcessing(false);
        for (String sql : statements) {
            to.execute(sql);
        }
    }

    /** What reads rarely need: where it cannot be made here, statements that use it are answered by the master. */
    private void tryAll(Statement to, String kind, List<String> statements) throws SQLException {
        for (String sql : statements) {
            Savepoint before = satellite.setSavepoint();
            try {
                to.execute(sql);
                satellite.releaseSavepoint(before);
            } catch (SQLException e) {
                satellite.rollback(before);
                progress.table(kind, 0, "not copied: " + e.getMessage());
            }
        }
    }

    private static void openViews(Statement to) throws SQLException {
        runAll(
                to,
                SatelliteCatalog.texts(
                        to,
                        "SELECT format('GRANT SELECT ON %I.%I TO " + SatelliteCatalog.READER
                                + "', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND "
                                + USER_SCHEMA));
    }

    private void copyRows(Relation relation) throws SQLException {
        if (!held.holds(relation.schema(), relation.table())) {
            return;
        }
        String table = Quoting.table(relation);
        String columns = relation.columns().stream()
                .map(Quoting::identifier)
                .collect(java.util.stream.Collectors.joining(", ", " (", ")"));
        CopyOut out = manager(master)
                .copyOut("COPY (SELECT%s FROM ONLY %s) TO STDOUT (FORMAT binary)"
                        .formatted(relation.columns().isEmpty() ? "" : columns.replaceAll("^ \\(|\\)$", " "), table));
        CopyIn in = manager(satellite).copyIn("COPY " + table + columns + " FROM STDIN (FORMAT binary)");
        for (byte[] rows = out.readFromCopy(); rows != null; rows = out.readFromCopy()) {
            in.writeToCopy(rows, 0, rows.length);
        }
        progress.table(relation.name(), in.endCopy(), null);
    }

    private static CopyManager manager(Connection connection) throws SQLException {
        return new CopyManager(connection.unwrap(BaseConnection.class));
    }
}
