package io.multimed.middleware.node.engine.postgresql;

import io.multimed.middleware.node.engine.HeldTables;
import io.multimed.middleware.writeset.Change.StatementChange;
import io.multimed.middleware.writeset.Relation;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

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

    /**
     * A satellite stores the master's values and computes none: generated and identity columns become plain ones, and
     * foreign keys are checked by the master only. %1$s is the table, in an SQL literal.
     */
    private static final String TO_PLAIN = """
            SELECT format('ALTER TABLE %%s ALTER COLUMN %%I DROP %%s', %1$s, attname, CASE WHEN attidentity <> '' THEN 'IDENTITY' ELSE 'EXPRESSION' END)
            FROM pg_attribute WHERE attrelid = %1$s::regclass AND attnum > 0 AND NOT attisdropped AND (attidentity <> '' OR attgenerated = 's')
            UNION ALL
            SELECT format('ALTER TABLE %%s DROP CONSTRAINT %%I', %1$s, conname) FROM pg_constraint WHERE conrelid = %1$s::regclass AND contype = 'f'""";

    /**
     * The table and its ancestors, whose rows include those of the table; with each, all tables whose rows a query on it
     * reads, and whether policies decide which rows: only the master has policies.
     */
    private static final String PARTS = """
            WITH RECURSIVE above (id) AS (
                SELECT %1$s::regclass::oid UNION SELECT i.inhparent FROM above JOIN pg_inherits i ON i.inhrelid = above.id
            ), below (top, id) AS (
                SELECT id, id FROM above UNION SELECT below.top, i.inhrelid FROM below JOIN pg_inherits i ON i.inhparent = below.id)
            SELECT format('%%I.%%I', tn.nspname, t.relname), n.nspname, c.relname, c.relrowsecurity
            FROM below JOIN pg_class t ON t.oid = below.top JOIN pg_namespace tn ON tn.oid = t.relnamespace
            JOIN pg_class c ON c.oid = below.id JOIN pg_namespace n ON n.oid = c.relnamespace""";

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

    /** Stores a relation's form, and prepares its table for rows and readers: two round trips. */
    void put(Relation relation) throws SQLException {
        String table = Quoting.literal(Quoting.table(relation));
        try (Statement statement = satellite.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(String.join(";\n", upsert(relation), TO_PLAIN.formatted(table), PARTS.formatted(table)));
            statement.getMoreResults();
            List<String> changes = texts(statement.getResultSet());
            if (!changes.isEmpty()) {
                changes.add(0, TURN);
                changes.add(TURN_ENDS);
            }
            statement.getMoreResults();
            changes.addAll(grants(relation, statement.getResultSet()));
            statement.execute(String.join(";\n", changes));
        }
        relations.put(relation.id(), relation);
    }

    private static String upsert(Relation relation) {
        return """
                INSERT INTO multimed.relation VALUES (%d, %s, %s, ARRAY[%s]::text[], ARRAY[%s]::int[]) ON CONFLICT (id) DO UPDATE SET schema_name = excluded.schema_name,
                table_name = excluded.table_name, columns = excluded.columns, key_positions = excluded.key_positions""".formatted(
                        relation.id(),
                        Quoting.literal(relation.schema()),
                        Quoting.literal(relation.table()),
                        relation.columns().stream().map(Quoting::literal).collect(Collectors.joining(", ")),
                        relation.keyPositions().stream().map(String::valueOf).collect(Collectors.joining(", ")));
    }

    /** Runs a statement of the master in one round trip. Its text may end with a comment. */
    void run(StatementChange change) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(String.join(
                    ";\n",
                    "SELECT set_config('search_path', " + Quoting.literal(change.searchPath()) + ", true)",
                    TURN,
                    change.sql() + "\n",
                    "RESET search_path",
                    TURN_ENDS));
        }
    }

    /**
     * Lets clients read what is held here; everything else stays closed, so that a wrong guess of the router is an error
     * and never an empty answer. A table that others inherit from, or are partitions of, is open if they are all held.
     */
    private List<String> grants(Relation relation, ResultSet parts) throws SQLException {
        Map<String, Boolean> open = new LinkedHashMap<>();
        while (parts.next()) {
            boolean isOpen = held.holds(parts.getString(2), parts.getString(3)) && !parts.getBoolean(4);
            open.merge(parts.getString(1), isOpen, Boolean::logicalAnd);
        }
        List<String> grants = new ArrayList<>();
        open.forEach((table, isOpen) -> grants.add(
                (isOpen ? "GRANT SELECT ON %s TO %s" : "REVOKE SELECT ON %s FROM %s").formatted(table, READER)));
        if (held.holds(relation.schema(), relation.table())) {
            grants.add("GRANT USAGE ON SCHEMA " + Quoting.identifier(relation.schema()) + " TO " + READER);
        }
        return grants;
    }

    static List<String> texts(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            return texts(rows);
        }
    }

    private static List<String> texts(ResultSet rows) throws SQLException {
        List<String> texts = new ArrayList<>();
        while (rows.next()) {
            texts.add(rows.getString(1));
        }
        return texts;
    }
}
