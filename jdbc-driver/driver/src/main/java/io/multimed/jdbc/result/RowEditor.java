// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.support.Guard;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.value.Parameter;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Changes rows of the table from which a result was read. A row is identified by its primary key, or by a unique key
 * without nulls. The result must contain the columns of this key. Protected by the guard of the result set.
 */
final class RowEditor {
    private final ResultContext connection;
    private final List<ColumnDescription> columns;
    private final String table;
    private final String quote;

    /** Positions of the key's columns in the result, from 0. */
    private final List<Integer> key;

    private final Map<Integer, Parameter> changes = new LinkedHashMap<>();

    private RowEditor(
            ResultContext connection, List<ColumnDescription> columns, String table, String quote, List<Integer> key) {
        this.connection = connection;
        this.columns = columns;
        this.table = table;
        this.quote = quote;
        this.key = key;
    }

    /**
     * Determines, in two or three round trips, the table and the key of a result.
     *
     * @param columns as the engine describes them
     * @throws SQLException 24000 if the result does not come from one table, or does not contain a whole key
     */
    static RowEditor of(ResultContext connection, List<ColumnDescription> columns) throws SQLException {
        DatabaseMetaData engine = connection.getMetaData();
        ColumnDescription first = columns.stream()
                .filter(column -> !column.table().isEmpty())
                .findFirst()
                .orElseThrow(RowEditor::notUpdatable);
        boolean single = columns.stream()
                .allMatch(column -> column.table().isEmpty()
                        || (column.table().equals(first.table())
                                && column.baseSchema().equals(first.baseSchema())));
        if (!single) {
            throw notUpdatable();
        }
        List<Integer> key =
                RowKey.of(engine, columns, first, connection.behavior().hasCatalogs());
        if (key.isEmpty()) {
            throw new SQLException(
                    "No eligible primary or unique key found for table %s.".formatted(first.table()),
                    SqlStates.INVALID_CURSOR_STATE);
        }
        String quote = engine.getIdentifierQuoteString();
        String table = quoted(first.baseSchema(), quote) + "." + quoted(first.table(), quote);
        return new RowEditor(connection, columns, table, quote, key);
    }

    private static SQLException notUpdatable() {
        return new SQLException(
                "ResultSet is not updateable.  The query that generated this result set must select only one table, and must select all primary keys from that table. See the JDBC 2.1 API Specification, section 5.6 for more details.",
                SqlStates.INVALID_CURSOR_STATE);
    }

    /** Quotes an identifier. */
    private static String quoted(String name, String quote) {
        return quote + name.replace(quote, quote + quote) + quote;
    }

    private String name(int place) {
        return quoted(columns.get(place).baseColumn(), quote);
    }

    /**
     * Keeps a new value of a column.
     *
     * @param column from 1
     */
    void change(int column, Parameter value) throws SQLException {
        if (columns.get(column - 1).table().isEmpty()) {
            throw new SQLException(
                    "column %d of the result is not a column of table %s".formatted(column, table),
                    SqlStates.UNDEFINED_COLUMN);
        }
        changes.put(column - 1, value);
    }

    boolean isChanged() {
        return !changes.isEmpty();
    }

    /** Drops all changes. */
    void forget() {
        changes.clear();
    }

    /**
     * Updates a row, and returns the row as stored afterwards, including values that the engine has computed.
     *
     * @throws SQLException 02000 if no row has the key of the row, 21000 if several rows have it
     */
    @Nullable
    Object[] update(@Nullable Object[] row) throws SQLException {
        String set =
                changes.keySet().stream().map(place -> name(place) + " = ?").collect(Collectors.joining(", "));
        RowStatement update = new RowStatement("UPDATE " + table + " SET ").add(set, List.copyOf(changes.values()));
        addKeyOnce(update, row);
        if (connection.behavior().hasReturning()) {
            return merged(row, one("updateRow", update.add(returning())));
        }
        return exclusively(() -> {
            one("updateRow", update);
            return reread(row);
        });
    }

    /** Reads a row that was changed, perhaps in its key. */
    private @Nullable Object[] reread(@Nullable Object[] row) throws SQLException {
        RowStatement query = selection();
        String and = " WHERE ";
        for (int place : key) {
            Parameter changed = changes.get(place);
            if (changed == null) {
                addMatch(query.add(and), place, row[place]);
            } else {
                query.add(and).add(name(place) + " = ?", List.of(changed));
            }
            and = " AND ";
        }
        return merged(row, one("reading the updated row", query));
    }

    /**
     * Inserts a row, and returns the row as stored afterwards, including values that the engine has computed; null if
     * the row cannot be read, because a trigger has prevented the insertion, or the engine has computed a key that the
     * driver does not know.
     */
    @Nullable
    Object @Nullable [] insert() throws SQLException {
        String names = changes.keySet().stream().map(this::name).collect(Collectors.joining(", "));
        String marks = String.join(", ", Collections.nCopies(changes.size(), "?"));
        RowStatement insertion = new RowStatement("INSERT INTO " + table + " (" + names + ") VALUES (")
                .add(marks + ")", List.copyOf(changes.values()));
        connection.channel().guard().acquire();
        try {
            return connection.behavior().hasReturning()
                    ? firstOf(insertion.add(returning()))
                    : inserted(
                            insertion.execute(connection, 0, GeneratedKeys.ALL).key());
        } finally {
            connection.channel().guard().release();
        }
    }

    /**
     * Reads the row that was inserted, by the key that was set or generated; null if a part of the key is unknown.
     *
     * @param generated the number that the engine has generated, or that the application has set in its place
     */
    private @Nullable Object @Nullable [] inserted(@Nullable Object generated) throws SQLException {
        RowStatement query = selection();
        String and = " WHERE ";
        for (int place : key) {
            Parameter given = changes.get(place);
            if (columns.get(place).column().autoIncrement() && generated != null) {
                addMatch(query.add(and), place, generated);
            } else if (given != null) {
                query.add(and).add(name(place) + " = ?", List.of(given));
            } else {
                return null;
            }
            and = " AND ";
        }
        return firstOf(query);
    }

    /** Returns the first row of a query in the form of a row of the result; null if there is none. */
    private @Nullable Object @Nullable [] firstOf(RowStatement query) throws SQLException {
        List<@Nullable Object[]> rows = query.execute(connection, ownPlaces().size(), GeneratedKeys.NONE)
                .rows();
        return rows.isEmpty() ? null : merged(new @Nullable Object[columns.size()], rows.get(0));
    }

    /**
     * Deletes a row.
     *
     * @throws SQLException 02000 if no row has the key of the row, 21000 if several rows have it
     */
    void delete(@Nullable Object[] row) throws SQLException {
        RowStatement deletion = new RowStatement("DELETE FROM " + table);
        addKeyOnce(deletion, row);
        one("deleteRow", deletion);
    }

    /**
     * Reads a row again from the table.
     *
     * @throws SQLException 02000 if no row has the key of the row, 21000 if several rows have it
     */
    @Nullable
    Object[] read(@Nullable Object[] row) throws SQLException {
        RowStatement query = selection();
        addKey(query, row);
        return merged(row, one("refreshRow", query));
    }

    private <T> T exclusively(Guard.Query<T> query) throws SQLException {
        return connection.channel().guard().get(query);
    }

    private RowStatement selection() {
        return new RowStatement("SELECT " + ownNames() + " FROM " + table);
    }

    /** Adds the WHERE clause that finds a row by its key. */
    private void addKey(RowStatement to, @Nullable Object[] row) throws SQLException {
        String and = " WHERE ";
        for (int place : key) {
            addMatch(to.add(and), place, row[place]);
            and = " AND ";
        }
    }

    /** Adds the WHERE clause of a change, which finds no row if several rows have the key. */
    private void addKeyOnce(RowStatement to, @Nullable Object[] row) throws SQLException {
        addKey(to, row);
        if (connection.behavior().permitsDuplicateKeys()) {
            addKey(to.add(" AND (SELECT count(*) FROM " + table), row);
            to.add(") = 1");
        }
    }

    /** Adds the condition that a column has a value of the result. */
    private void addMatch(RowStatement to, int place, @Nullable Object value) throws SQLException {
        ResultConversions.Match match = connection
                .conversions()
                .match(name(place), value, columns.get(place).column());
        to.add(match.condition(), match.parameters());
    }

    private String returning() {
        return " RETURNING " + ownNames();
    }

    private String ownNames() {
        return ownPlaces().stream().map(this::name).collect(Collectors.joining(", "));
    }

    /** Returns the positions of the columns that belong to the table. */
    private List<Integer> ownPlaces() {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            if (!columns.get(i).table().isEmpty()) {
                places.add(i);
            }
        }
        return places;
    }

    /**
     * Runs a statement that concerns one row. Returns the columns of the row, if the statement returns columns.
     *
     * @param what for the message of the exception
     */
    private @Nullable Object[] one(String what, RowStatement statement) throws SQLException {
        RowStatement.Answer answer = statement.execute(connection, ownPlaces().size(), GeneratedKeys.NONE);
        if (answer.count() == 0) {
            throw new SQLException(
                    "%s: no row of %s has the key of this row, or the key does not identify one row; run the query again"
                            .formatted(what, table),
                    SqlStates.NO_DATA);
        } else if (answer.count() != 1) {
            throw new SQLException(
                    "%s: several rows of %s have the key of this row".formatted(what, table),
                    SqlStates.CARDINALITY_VIOLATION);
        }
        return answer.rows().isEmpty() ? new Object[0] : answer.rows().get(0);
    }

    /** Returns a row with new values of the columns that belong to the table. */
    private @Nullable Object[] merged(@Nullable Object[] before, @Nullable Object[] values) {
        @Nullable Object[] after = before.clone();
        List<Integer> own = ownPlaces();
        for (int i = 0; i < own.size(); i++) {
            after[own.get(i)] = values[i];
        }
        return after;
    }
}
