// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.connection.Relations;
import io.multimed.engine.writeset.Change.StatementChange;
import io.multimed.engine.writeset.Relation;
import io.multimed.engine.writeset.ReplicatedTables;
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
 * The master's relations as the satellite knows them at its position in the commit order. The table multimed.relation
 * contains them and changes in the same transactions as the rows, so that a row is always read by the form in which it
 * was captured.
 *
 * <p>DDL and catalog changes are collected and sent together, see {@link #runPending}. Used by the applier's thread.
 */
final class SatelliteCatalog {
    /** The role of the sessions that run clients' reads. */
    static final String READER = "multimed_reader";

    /**
     * Limits the time that DDL waits for readers, while other readers wait behind it: longer than the engine needs to
     * detect a deadlock or to stop an autovacuum.
     */
    static final String TURN = "250ms";

    /** Maximum number of pending statements; a WriteSet may contain any number. */
    private static final int PENDING_STATEMENTS = 200;

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS multimed.relation (
                id bigint PRIMARY KEY, schema_name text NOT NULL, table_name text NOT NULL, columns text[] NOT NULL, key_positions int[])""";

    /**
     * Selects the relation and its ancestors, with the tables that a query on each of them reads, see satellite.sql.
     */
    private static final String PARTS =
            "SELECT ancestor, schema_name, table_name, has_policies FROM multimed.parts(%s)";

    private final Connection satellite;
    private final ReplicatedTables held;
    private final Map<Long, Relation> relations = new HashMap<>();

    /** Statements of the open transaction that have not been sent yet: several are sent in one round trip. */
    private final List<String> pending = new ArrayList<>();

    /** Whether statements of the master are pending, which may create functions. */
    private boolean mayHaveAddedCode;

    SatelliteCatalog(Connection satellite, ReplicatedTables held) {
        this.satellite = satellite;
        this.held = held;
    }

    /**
     * Reads all relations again, and discards pending statements, as is necessary after a rollback. Creates the table
     * if it does not exist.
     */
    void load() throws SQLException {
        relations.clear();
        pending.clear();
        mayHaveAddedCode = false;
        try (Statement statement = satellite.createStatement()) {
            statement.execute(CREATE);
            Relations.all(statement).forEach(relation -> relations.put(relation.id(), relation));
        }
    }

    /** Returns a relation by the master's number; XX001 if the satellite does not know it. */
    Relation relation(long id) throws SQLException {
        return Optional.ofNullable(relations.get(id))
                .orElseThrow(() -> new SQLException(
                        "a WriteSet names relation %d, which this satellite does not know: the satellite must be seeded again"
                                .formatted(id),
                        "XX001"));
    }

    /**
     * Stores the form of a relation, and prepares its table for rows and for readers. The statements are sent with the
     * next round trip.
     *
     * @throws SQLException XX001 if the satellite must have the rows of a table that it did not hold under its earlier
     *     name: the satellite must be seeded again
     */
    void put(Relation relation) throws SQLException {
        String table = Quoting.literal(Quoting.table(relation)) + "::regclass";
        Relation before = relations.get(relation.id());
        if (before != null && isHeld(before) != isHeld(relation)) {
            rename(before, relation, table);
        }
        add(upsert(relation), "SELECT multimed.make_plain(%s, '%s')".formatted(table, TURN));
        if (held.all()) {
            add("SELECT multimed.open_all_to('%s', %s)".formatted(READER, table));
        } else {
            runPending("");
            openParts(relation, table);
        }
        relations.put(relation.id(), relation);
    }

    private boolean isHeld(Relation relation) {
        return held.includes(relation.schema(), relation.table());
    }

    /** Handles a new name because of which the satellite holds a table from now on, or does not hold it any more. */
    private void rename(Relation before, Relation after, String table) throws SQLException {
        if (isHeld(after)) {
            throw new SQLException(
                    "%s, which this satellite did not hold, is now %s, which it holds: the satellite must be seeded again"
                            .formatted(before.name(), after.name()),
                    "XX001");
        }
        add("SELECT multimed.remove_rows(%s, '%s')".formatted(table, TURN));
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

    /**
     * Adds a statement of the master, which is sent with the next round trip and runs with the search_path of its
     * original. Its text may end with a comment, which the line break ends.
     */
    void apply(StatementChange change) throws SQLException {
        mayHaveAddedCode = true;
        add(
                "SELECT set_config('search_path', %s, true), set_config('lock_timeout', '%s', true)"
                        .formatted(Quoting.literal(change.searchPath()), TURN),
                change.sql() + "\n",
                "RESET search_path",
                "SET LOCAL lock_timeout = 0");
    }

    /** Adds a statement of Multimed's own, if the text is not empty. */
    void runOwn(String sql) throws SQLException {
        if (!sql.isEmpty()) {
            add(sql);
        }
    }

    private void add(String... statements) throws SQLException {
        pending.addAll(List.of(statements));
        if (pending.size() >= PENDING_STATEMENTS) {
            runPending("");
        }
    }

    /**
     * Sends the pending statements, and a last one, in one round trip. Must precede any other statement on the
     * connection.
     */
    void runPending(String last) throws SQLException {
        if (mayHaveAddedCode) {
            pending.add(ReaderFence.ADDED);
            mayHaveAddedCode = false;
        }
        if (!pending.isEmpty() || !last.isEmpty()) {
            String text = String.join(";\n", pending) + ";\n" + last;
            pending.clear();
            try (Statement statement = satellite.createStatement()) {
                statement.setEscapeProcessing(false);
                statement.execute(text);
            }
        }
    }

    /** Returns whether statements have not been sent yet. */
    boolean hasPending() {
        return !pending.isEmpty();
    }

    /**
     * Grants readers access to the tables that the satellite holds completely. All other tables remain closed, so that
     * a wrong decision of the router causes an error (42501) and never an incomplete answer. A table with partitions or
     * children is open if the satellite holds all of them, and if no row-level security applies.
     */
    private void openParts(Relation relation, String table) throws SQLException {
        Map<String, Boolean> open = new LinkedHashMap<>();
        try (Statement statement = satellite.createStatement();
                ResultSet parts = statement.executeQuery(PARTS.formatted(table))) {
            while (parts.next()) {
                boolean isOpen = held.includes(parts.getString(2), parts.getString(3)) && !parts.getBoolean(4);
                open.merge(parts.getString(1), isOpen, Boolean::logicalAnd);
            }
        }
        for (Map.Entry<String, Boolean> part : open.entrySet()) {
            add("SELECT multimed.open_to('%s', %s::regclass, %s)"
                    .formatted(READER, Quoting.literal(part.getKey()), part.getValue()));
        }
        if (isHeld(relation)) {
            add("SELECT multimed.open_schema_to('%s', %s)".formatted(READER, table));
        }
    }
}
