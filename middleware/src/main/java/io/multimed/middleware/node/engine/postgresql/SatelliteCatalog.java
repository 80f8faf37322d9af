package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.middleware.writeset.Change.StatementChange;
import io.multimed.middleware.writeset.Relation;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a satellite knows of the master's relations, at its own place in the order: kept in a table of its own and changed in the same transactions as the
 * rows, so that a row is always read by the form that it was captured in.
 */
final class SatelliteCatalog {
    static final String READER = "multimed_reader";

    /** How long DDL waits for readers, while others wait behind it: longer than it takes to find a deadlock, or to stop an autovacuum. */
    private static final String TURN = "SET LOCAL lock_timeout = '250ms'";

    private static final String TURN_ENDS = "SET LOCAL lock_timeout = 0";

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS multimed.relation (
                id bigint PRIMARY KEY, schema_name text NOT NULL, table_name text NOT NULL, columns text[] NOT NULL, key_positions int[])""";

    /** The table itself, and all that a row of it is a row of, too. */
    private static final String ANCESTORS = """
            WITH RECURSIVE above (id) AS (
                SELECT '%s'::regclass::oid UNION SELECT i.inhparent FROM above JOIN pg_inherits i ON i.inhrelid = above.id)
            SELECT format('%%I.%%I', n.nspname, c.relname) FROM above JOIN pg_class c ON c.oid = above.id JOIN pg_namespace n ON n.oid = c.relnamespace""";

    /** All tables whose rows a query on the table reads, and whether policies decide which rows: those only the master has. */
    private static final String PARTS = """
            WITH RECURSIVE below (id) AS (
                SELECT '%s'::regclass::oid UNION SELECT i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.id)
            SELECT n.nspname, c.relname, c.relrowsecurity FROM below JOIN pg_class c ON c.oid = below.id JOIN pg_namespace n ON n.oid = c.relnamespace""";

    private final Connection satellite;
    private final HeldTables held;
    private final Map<Long, Relation> relations = new HashMap<>();

    SatelliteCatalog(Connection satellite, HeldTables held) {
        this.satellite = satellite;
        this.held = held;
    }

    void load() throws SQLException {
        relations.clear();
        try (Statement statement = satellite.createStatement()) {
            statement.execute(CREATE);
            PostgresMasterStore.relations(statement).forEach(relation -> relations.put(relation.id(), relation));
        }
    }

    Relation relation(long id) throws SQLException {
        return Optional.ofNullable(relations.get(id))
                .orElseThrow(() -> new SQLException(
                        "a WriteSet names relation %d, which this satellite never heard of: it must be seeded anew"
                                .formatted(id),
                        "XX001"));
    }

    void put(Relation relation) throws SQLException {
        String upsert = """
                INSERT INTO multimed.relation VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET schema_name = excluded.schema_name,
                table_name = excluded.table_name, columns = excluded.columns, key_positions = excluded.key_positions""";
        try (PreparedStatement statement = satellite.prepareStatement(upsert)) {
            statement.setLong(1, relation.id());
            statement.setString(2, relation.schema());
            statement.setString(3, relation.table());
            statement.setArray(
                    4, satellite.createArrayOf("text", relation.columns().toArray()));
            statement.setArray(
                    5, satellite.createArrayOf("int4", relation.keyPositions().toArray()));
            statement.executeUpdate();
        }
        relations.put(relation.id(), relation);
        makePlain(relation);
        grant(relation);
    }

    /** Runs a statement of the master's here. */
    void run(StatementChange change) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.execute("SELECT set_config('search_path', " + Quoting.literal(change.searchPath()) + ", true)");
            statement.execute(TURN);
            statement.setEscapeProcessing(false);
            statement.execute(change.sql());
            statement.execute("RESET search_path; " + TURN_ENDS);
        }
    }

    /** A satellite stores the master's values and computes none: generated and identity columns become plain ones, foreign keys are the master's business. */
    private void makePlain(Relation relation) throws SQLException {
        String query = """
                SELECT format('ALTER TABLE %s ALTER COLUMN %%I DROP %%s', attname, CASE WHEN attidentity <> '' THEN 'IDENTITY' ELSE 'EXPRESSION' END)
                FROM pg_attribute WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped AND (attidentity <> '' OR attgenerated = 's')
                UNION ALL
                SELECT format('ALTER TABLE %s DROP CONSTRAINT %%I', conname) FROM pg_constraint WHERE conrelid = '%s'::regclass AND contype = 'f'""".formatted(
                        Quoting.table(relation).replace("'", "''").replace("%", "%%"),
                        Quoting.table(relation).replace("'", "''"),
                        Quoting.table(relation).replace("'", "''").replace("%", "%%"),
                        Quoting.table(relation).replace("'", "''"));
        try (Statement statement = satellite.createStatement()) {
            statement.execute(TURN);
            for (String sql : texts(statement, query)) {
                statement.execute(sql);
            }
            statement.execute(TURN_ENDS);
        }
    }

    /**
     * Lets clients read what is held here; what is not held stays closed, so that a wrong guess of the router is an error and never an empty answer. A table
     * that others inherit from, or are partitions of, is open if they are all held.
     */
    private void grant(Relation relation) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            for (String ancestor :
                    texts(statement, ANCESTORS.formatted(Quoting.table(relation).replace("'", "''")))) {
                boolean open = isOpen(statement, ancestor);
                statement.execute((open ? "GRANT SELECT ON %s TO %s" : "REVOKE SELECT ON %s FROM %s")
                        .formatted(ancestor, READER));
            }
            if (held.holds(relation.schema(), relation.table())) {
                statement.execute("GRANT USAGE ON SCHEMA " + Quoting.identifier(relation.schema()) + " TO " + READER);
            }
        }
    }

    private boolean isOpen(Statement statement, String table) throws SQLException {
        try (ResultSet parts = statement.executeQuery(PARTS.formatted(table.replace("'", "''")))) {
            boolean open = true;
            while (parts.next()) {
                open &= held.holds(parts.getString(1), parts.getString(2)) && !parts.getBoolean(3);
            }
            return open;
        }
    }

    static List<String> texts(Statement statement, String query) throws SQLException {
        List<String> texts = new java.util.ArrayList<>();
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }
}
