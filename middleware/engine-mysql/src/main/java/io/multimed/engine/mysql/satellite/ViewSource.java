// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.satellite;

import io.multimed.engine.mysql.connection.MySqlServer;
import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.sql.MySqlReadRules;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.satellite.MaterializedView;
import io.multimed.engine.sql.ReadProof;
import io.multimed.engine.sql.ViewKeys;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A view whose rows depend on nothing but the rows of tables that the satellite holds.
 *
 * @param collation of literals in the view
 * @param definition the query, in which all names are qualified, and all columns have the names of the view's columns
 * @param tables the tables of the query
 */
record ViewSource(String schema, String name, String collation, String definition, Set<String> tables) {
    private static final String NOT_SUPPORTED = "0A000";
    private static final String UNDEFINED = "42S02";

    private static final String FIND =
            "SELECT TABLE_SCHEMA, TABLE_NAME, COLLATION_CONNECTION, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = DATABASE() AND LOWER(TABLE_NAME) = LOWER(?)";
    private static final String IS_TABLE =
            "SELECT TABLE_TYPE = 'BASE TABLE' FROM information_schema.TABLES WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ?";

    private static final String TABLES = "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ?";

    /** The text of such a column depends on the time zone of the session. */
    private static final String TIMESTAMPS =
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND DATA_TYPE = 'timestamp'";

    private static final String SAME_TYPE = """
            SELECT COUNT(*) FROM information_schema.COLUMNS a JOIN information_schema.COLUMNS o ON o.COLUMN_TYPE = a.COLUMN_TYPE AND o.COLLATION_NAME <=> a.COLLATION_NAME
            WHERE a.TABLE_SCHEMA = ? AND a.TABLE_NAME = ? AND a.COLUMN_NAME = ? AND o.TABLE_SCHEMA = ? AND o.TABLE_NAME = ? AND o.COLUMN_NAME = ?
            AND NOT (a.DATA_TYPE LIKE '%text' OR a.DATA_TYPE LIKE '%blob' OR a.DATA_TYPE IN ('json', 'geometry', 'float', 'double'))""";

    /** Columns of floating-point numbers that have more digits in queries than in tables. */
    private static final String ROUNDED =
            "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND (COLUMN_TYPE LIKE 'double(%' OR COLUMN_TYPE LIKE 'float(%')";

    /** MariaDB's columns of JSON documents, which are texts with a check, and the view's columns of texts. */
    private static final String DOCUMENTS =
            "SELECT CONSTRAINT_NAME FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ? AND LEVEL = 'Column' AND CHECK_CLAUSE LIKE 'json\\_valid(%'";

    private static final String TEXTS =
            "SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? AND CHARACTER_SET_NAME IS NOT NULL";

    private static final Pattern DIVISION = Pattern.compile("/");

    /** Then the engine itself stores the rows of a view before it computes with them. */
    private static final Pattern GROUP = Pattern.compile("\\bgroup by\\b", Pattern.CASE_INSENSITIVE);

    private static final MySqlReader READER = new MySqlReader();
    private static final ReadProof PROOF = new ReadProof(READER.readRules(), MySqlReadRules.FIXED_FACTS);

    /**
     * Finds a view of the satellite's database by its name.
     *
     * @throws SQLException 42S02 if there is no such view; 0A000 if its rows cannot be stored
     */
    static ViewSource find(Connection satellite, MaterializedView view, ReplicatedTables held) throws SQLException {
        String wanted = view.name();
        String database = satellite.getCatalog();
        String name = wanted.toLowerCase(Locale.ROOT).startsWith(database.toLowerCase(Locale.ROOT) + ".")
                ? wanted.substring(database.length() + 1)
                : wanted;
        ViewSource found = Queries.list(
                        satellite,
                        FIND,
                        row -> new ViewSource(
                                row.getString(1), row.getString(2), row.getString(3), row.getString(4), Set.of()),
                        name)
                .stream()
                .findFirst()
                .orElseThrow(() -> new SQLException("the satellite has no view of this name", UNDEFINED));
        if (READER.classify(READER.read(found.definition), () -> PROOF).footprint() == null) {
            throw new SQLException("the result may depend on more than rows", NOT_SUPPORTED);
        }
        List<String> rounded = Queries.texts(satellite, ROUNDED, found.schema, found.name);
        if (!rounded.isEmpty()) {
            throw new SQLException("a table would store rounded values of " + rounded, NOT_SUPPORTED);
        }
        if (DIVISION.matcher(found.definition).find()
                && !GROUP.matcher(found.definition).find()) {
            throw new SQLException(
                    "a query that contains the view computes with more digits of a quotient than a table stores",
                    NOT_SUPPORTED);
        }
        if (found.mayReturnDocuments(satellite)) {
            throw new SQLException("a table would store JSON documents as ordinary texts", NOT_SUPPORTED);
        }
        return new ViewSource(
                found.schema, found.name, found.collation, found.definition, tables(satellite, found, held));
    }

    /** Returns whether texts of the view may be JSON documents to MariaDB's functions, which a stored text is not. */
    private boolean mayReturnDocuments(Connection satellite) throws SQLException {
        if (!MySqlServer.isMariaDb(satellite) || Queries.number(satellite, TEXTS, schema, name) == 0) {
            return false;
        }
        return Queries.texts(satellite, DOCUMENTS, schema).stream()
                .anyMatch(column -> definition.contains(Names.identifier(column)));
    }

    private static Set<String> tables(Connection satellite, ViewSource view, ReplicatedTables held)
            throws SQLException {
        Set<String> tables = new TreeSet<>();
        for (String written : ViewKeys.tables(view.definition)
                .orElseThrow(() -> new SQLException("the definition is not understood", NOT_SUPPORTED))) {
            List<String> parts = new ArrayList<>();
            for (String part : written.split("\\.", 2)) {
                parts.add(part.replaceAll("^`(.*)`$", "$1").replace("``", "`"));
            }
            if (parts.size() != 2
                    || !Queries.list(satellite, IS_TABLE, row -> row.getBoolean(1), parts.get(0), parts.get(1))
                            .equals(List.of(true))) {
                throw new SQLException(written + " is no table", NOT_SUPPORTED);
            }
            String table = parts.get(1);
            if (!parts.get(0).equals(view.schema) || !held.includes(view.schema, table)) {
                throw new SQLException("the satellite does not hold " + written, NOT_SUPPORTED);
            }
            for (String column : Queries.texts(satellite, TIMESTAMPS, view.schema, table)) {
                if (view.definition.contains(Names.identifier(column))) {
                    throw new SQLException(
                            "the result may depend on the time zone, because of the column " + column, NOT_SUPPORTED);
                }
            }
            tables.add(table);
        }
        for (String table : Queries.texts(satellite, TABLES, view.schema)) {
            if (!tables.contains(table) && view.definition.contains(Names.table(view.schema, table))) {
                throw new SQLException("the definition reads `%s` in an unusual place".formatted(table), NOT_SUPPORTED);
            }
        }
        return tables;
    }

    /** Returns the statement that makes the view what it is now. */
    String restoration(List<String> columns) {
        return "CREATE OR REPLACE SQL SECURITY INVOKER VIEW %s (%s) AS %s"
                .formatted(Names.table(schema, name), String.join(", ", columns), definition);
    }

    /**
     * Returns the statement that makes the view one on stored rows. Readers have no privileges on the table that stores
     * the rows; they may read the view because the satellite holds all its tables.
     */
    String redirection(List<String> columns, String storage) throws SQLException {
        List<String> order = ViewKeys.order(definition, Names::identifier)
                .orElseThrow(() -> new SQLException(
                        "the rows are ordered by values that are no columns of the view", NOT_SUPPORTED));
        return "CREATE OR REPLACE SQL SECURITY DEFINER VIEW %1$s (%2$s) AS SELECT %2$s FROM multimed.%3$s%4$s"
                .formatted(
                        Names.table(schema, name),
                        String.join(", ", columns),
                        storage,
                        order.isEmpty() ? "" : " ORDER BY " + String.join(", ", order));
    }

    /** Returns the quoted names of the view's columns. */
    List<String> columns(Connection satellite) throws SQLException {
        return Queries.texts(
                        satellite,
                        "SELECT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ? AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
                        schema,
                        name)
                .stream()
                .map(Names::identifier)
                .toList();
    }

    /**
     * Returns a key for each table; nothing if there is no such key, or if the columns that equal an output column have
     * different types or no index.
     */
    List<ViewKeys.Key> keys(Connection satellite) throws SQLException {
        List<ViewKeys.Key> keys = ViewKeys.of(definition);
        if (keys.size() != tables.size()) {
            return List.of();
        }
        for (ViewKeys.Key key : ViewKeys.compared(definition)) {
            long same =
                    Queries.number(satellite, SAME_TYPE, schema, key.table(), key.column(), schema, name, key.output());
            if (same == 0
                    || ViewKeys.restrict(definition, "{" + key.output() + "}").isEmpty()) {
                return List.of();
            }
        }
        return keys;
    }
}
