package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.middleware.node.engine.SatelliteStore.SeedProgress;
import io.multimed.middleware.writeset.Relation;
import java.sql.Connection;
import java.sql.SQLException;
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
    private static final String OLD_SCHEMAS = "SELECT format('DROP SCHEMA %I CASCADE', n.nspname) FROM pg_namespace n"
            + " WHERE n.nspname = 'multimed' OR " + USER_SCHEMA;
    private static final String BEFORE_ROWS = "SELECT multimed.schema_statements(false)";
    private static final String AFTER_ROWS = "SELECT multimed.schema_statements(true)";

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
            runAll(to, SatelliteCatalog.texts(to, OLD_SCHEMAS));
            runAll(to, SatelliteCatalog.texts(from, BEFORE_ROWS));
            for (Relation relation : PostgresMasterStore.relations(from)) {
                copyRows(relation);
            }
            runAll(to, SatelliteCatalog.texts(from, AFTER_ROWS));
        }
    }

    private static void runAll(Statement to, List<String> statements) throws SQLException {
        to.setEscapeProcessing(false);
        for (String sql : statements) {
            to.execute(sql);
        }
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
