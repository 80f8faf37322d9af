// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.RoundTrip;
import io.multimed.engine.satellite.OwnIndex;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Reads the form of a table from the master's catalog, and checks that the table can be replicated. */
public final class TableReader {
    /**
     * A column that only satellites have, for tables without a key: the fingerprint by which {@code RowWriter} finds a
     * row.
     */
    public static final String PRINT = "multimed_print";

    private static final String COLUMNS = """
            SELECT c.* FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = %s AND c.TABLE_NAME = %s
            ORDER BY c.ORDINAL_POSITION""";

    /**
     * Reads the columns of the primary key. The catalog does not distinguish upper and lower case in names, so that
     * the name is compared again as bytes.
     */
    private static final String KEY_COLUMNS = """
            SELECT s.COLUMN_NAME FROM information_schema.STATISTICS s WHERE s.TABLE_SCHEMA = %1$s AND s.TABLE_NAME = %2$s
            AND CAST(s.TABLE_NAME AS BINARY) = CAST(%2$s AS BINARY) AND s.INDEX_NAME = 'PRIMARY'""";

    /** The name of each collation begins with its character set. */
    private static final String TABLE = """
            SELECT t.TABLE_TYPE, t.ENGINE, t.TABLE_COLLATION, SUBSTRING_INDEX(t.TABLE_COLLATION, '_', 1) AS CHARACTER_SET_NAME
            FROM information_schema.TABLES t WHERE t.TABLE_SCHEMA = %s AND t.TABLE_NAME = %s""";

    /** Reads foreign keys that change rows: InnoDB fires no triggers for these changes. */
    private static final String CASCADES = """
            SELECT r.CONSTRAINT_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS r
            WHERE r.CONSTRAINT_SCHEMA = %s AND r.TABLE_NAME = %s
            AND NOT (r.DELETE_RULE IN ('RESTRICT', 'NO ACTION') AND r.UPDATE_RULE IN ('RESTRICT', 'NO ACTION'))""";

    private static final Pattern KEY = Pattern.compile("(PRIMARY|UNIQUE|FULLTEXT|SPATIAL|VECTOR) KEY .*|KEY .*");
    private static final Pattern ROW_FORMAT = Pattern.compile("ROW_FORMAT=(DYNAMIC|COMPACT|REDUNDANT)");

    /** Lines of definitions that only satellites have. */
    private static final Pattern OWN =
            Pattern.compile("^ *(`" + PRINT + "`|(UNIQUE )?KEY `(" + PRINT + '|' + OwnIndex.PREFIX + "))");

    private static final String COMMENT = " COMMENT='";

    /** Options of partitions that refer to the master's files. */
    private static final Pattern DIRECTORY = Pattern.compile("(DATA|INDEX) DIRECTORY = '[^']*' ?");

    private final Connection master;
    private final String schema;
    private final String table;
    private final List<String> problems = new ArrayList<>();

    private TableReader(Connection master, String schema, String table) {
        this.master = master;
        this.schema = schema;
        this.table = table;
    }

    /**
     * Returns the form of a table, without an id.
     *
     * @throws SQLException 0A000 with all reasons if the table cannot be replicated; 42S02 if there is no such table
     */
    public static TableForm read(Connection master, String schema, String table) throws SQLException {
        return new TableReader(master, schema, table).read();
    }

    private TableForm read() throws SQLException {
        Found found = find();
        List<ColumnDefinition> columns = new ArrayList<>();
        for (ColumnDefinition column : found.columns) {
            columns.add(column.mayHideValues() ? EnumerationValues.shown(master, schema, table, column) : column);
        }
        TableForm form = found.with(columns).form();
        check(found.created, found.cascades);
        return form;
    }

    /**
     * Returns the definition of a node's table as far as satellites have the definition, for the comparison of copies.
     * The table must exist.
     */
    public static String definition(Connection node, String schema, String table) throws SQLException {
        return new TableReader(node, schema, table)
                .find()
                .form()
                .body()
                .lines()
                .filter(line -> !OWN.matcher(line).find())
                .map(TableReader::withoutComma)
                .collect(Collectors.joining("\n"));
    }

    /**
     * The catalog's description of the table.
     *
     * @param keyColumns names of the columns of the primary key
     * @param created the lines of CREATE TABLE
     */
    private record Found(
            TableReader reader,
            List<String> keyColumns,
            List<ColumnDefinition> columns,
            String options,
            List<String> cascades,
            List<String> created) {
        Found with(List<ColumnDefinition> others) {
            return new Found(reader, keyColumns, others, options, cascades, created);
        }

        TableForm form() {
            List<Integer> key = new ArrayList<>();
            List<String> lines = new ArrayList<>();
            for (ColumnDefinition column : columns) {
                if (keyColumns.contains(column.name())) {
                    key.add(lines.size());
                }
                lines.add(column.onSatellites(created));
            }
            String body = body(lines, created, key.isEmpty()) + options + rowFormat(created) + partitions(created);
            return new TableForm(
                    0,
                    reader.schema,
                    reader.table,
                    columns.stream().map(reader::column).toList(),
                    key,
                    body);
        }
    }

    private Found find() throws SQLException {
        RoundTrip trip = new RoundTrip();
        List<String> keyColumns = trip.texts(about(KEY_COLUMNS));
        List<ColumnDefinition> columns = trip.ask(about(COLUMNS), ColumnDefinition::of);
        List<String> options = trip.ask(about(TABLE), this::options);
        List<String> cascades = trip.texts(about(CASCADES));
        List<String> texts = trip.ask("SHOW CREATE TABLE " + Names.table(schema, table), row -> row.getString(2));
        trip.send(master);
        if (options.isEmpty()) {
            throw new SQLException("there is no table %s.%s".formatted(schema, table), "42S02");
        }
        List<String> created = texts.get(0).lines().map(String::strip).toList();
        return new Found(this, keyColumns, columns, options.get(0), cascades, created);
    }

    private String about(String query) {
        return query.formatted(Names.value(schema), Names.value(table));
    }

    /** Returns the columns and keys of the satellites' table. Foreign keys are omitted. */
    private static String body(List<String> columns, List<String> created, boolean keyless) {
        List<String> lines = new ArrayList<>(columns);
        created.stream()
                .filter(line -> KEY.matcher(line).matches())
                .map(TableReader::withoutComma)
                .forEach(lines::add);
        if (keyless) {
            lines.add("`%1$s` BINARY(32) NULL INVISIBLE, KEY `%1$s` (`%1$s`)".formatted(PRINT));
        }
        return lines.stream().collect(Collectors.joining(",\n  ", " (\n  ", "\n) "));
    }

    /** Returns the column. An unknown type or spatial reference system is recorded as a problem. */
    private Column column(ColumnDefinition column) {
        Optional<ColumnKind> kind = ColumnKind.of(column.dataType());
        if (kind.isEmpty()) {
            problems.add("column %s has the type %s, which Multimed does not know"
                    .formatted(column.name(), column.dataType()));
        }
        if (column.hasReferenceSystemOfUser()) {
            problems.add("column %s has a spatial reference system of a user, which satellites lack"
                    .formatted(column.name()));
        }
        return new Column(
                column.name(), kind.orElse(ColumnKind.BYTES), Objects.requireNonNullElse(column.characters(), ""));
    }

    /** Returns the options of the satellites' table. Records other table types and storage engines as problems. */
    private String options(ResultSet row) throws SQLException {
        if (!row.getString("TABLE_TYPE").equals("BASE TABLE")) {
            problems.add("it is a table with versions (%s)".formatted(row.getString("TABLE_TYPE")));
        } else if (!"InnoDB".equalsIgnoreCase(row.getString("ENGINE"))) {
            problems.add("its storage engine is %s, which has no transactions: ALTER TABLE ... ENGINE=InnoDB"
                    .formatted(row.getString("ENGINE")));
        }
        return "ENGINE=InnoDB DEFAULT CHARSET=%s COLLATE=%s"
                .formatted(row.getString("CHARACTER_SET_NAME"), row.getString("TABLE_COLLATION"));
    }

    static String withoutComma(String line) {
        return line.endsWith(",") ? line.substring(0, line.length() - 1) : line;
    }

    /** Returns the row format, which limits the length of indexed columns. */
    private static String rowFormat(List<String> created) {
        return created.stream()
                .filter(line -> line.startsWith(") "))
                .map(line -> line.split(COMMENT, 2)[0])
                .map(ROW_FORMAT::matcher)
                .filter(Matcher::find)
                .map(found -> ' ' + found.group())
                .findFirst()
                .orElse("");
    }

    /** Returns the partitions of the table without their directories. */
    private static String partitions(List<String> created) {
        String after = created.stream()
                .dropWhile(line -> !line.startsWith(") "))
                .skip(1)
                .collect(Collectors.joining("\n"));
        return after.isEmpty() ? "" : '\n' + DIRECTORY.matcher(after).replaceAll("");
    }

    /**
     * Fails if the table cannot be replicated.
     *
     * @throws SQLException 0A000 with all problems
     */
    private void check(List<String> created, List<String> cascades) throws SQLException {
        if (created.stream().anyMatch(line -> line.startsWith("PERIOD FOR"))) {
            problems.add("it has a period");
        }
        for (String constraint : cascades) {
            problems.add(
                    "its foreign key %s changes rows by ON DELETE or ON UPDATE, which no trigger sees: make it RESTRICT, and change the rows by statements or by a trigger"
                            .formatted(constraint));
        }
        if (!problems.isEmpty()) {
            throw new SQLException(
                    "%s.%s cannot be replicated: %s".formatted(schema, table, String.join("; ", problems)), "0A000");
        }
    }
}
