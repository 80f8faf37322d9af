package io.multimed.jdbc.result;

import io.multimed.jdbc.session.ParameterUpload;
import io.multimed.jdbc.session.SessionChannel;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
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
     * Updates a row, and returns the row as stored afterwards, including values that the engine has computed; null if
     * the row does not exist any more.
     */
    @Nullable
    Object @Nullable [] update(@Nullable Object[] row) throws SQLException {
        String set =
                changes.keySet().stream().map(place -> name(place) + " = ?").collect(Collectors.joining(", "));
        List<Parameter> parameters = new ArrayList<>(changes.values());
        parameters.addAll(keyOf(row));
        String sql = "UPDATE " + table + " SET " + set + byKey();
        if (connection.behavior().hasReturning()) {
            return run(sql + returning(), parameters, row);
        }
        run(sql, parameters);
        return run(selection(), keyOf(changed(row)), row);
    }

    /**
     * Inserts a row, and returns the row as stored afterwards, including values that the engine has computed; null if a
     * trigger has prevented the insertion.
     */
    @Nullable
    Object @Nullable [] insert() throws SQLException {
        String names = changes.keySet().stream().map(this::name).collect(Collectors.joining(", "));
        String marks = String.join(", ", java.util.Collections.nCopies(changes.size(), "?"));
        String sql = "INSERT INTO " + table + " (" + names + ") VALUES (" + marks + ")";
        @Nullable Object[] none = new @Nullable Object[columns.size()];
        if (connection.behavior().hasReturning()) {
            return run(sql + returning(), new ArrayList<>(changes.values()), none);
        }
        run(sql, new ArrayList<>(changes.values()));
        boolean generated = key.size() == 1 && !changes.containsKey(key.get(0));
        return generated
                ? run(
                        "SELECT " + ownNames() + " FROM " + table + " WHERE " + name(key.get(0))
                                + " = LAST_INSERT_ID()",
                        List.of(),
                        none)
                : run(selection(), keyOf(changed(none)), none);
    }

    void delete(@Nullable Object[] row) throws SQLException {
        run("DELETE FROM " + table + byKey(), keyOf(row));
    }

    /** Reads a row again from the table; null if the row does not exist any more. */
    @Nullable
    Object @Nullable [] read(@Nullable Object[] row) throws SQLException {
        return run(selection(), keyOf(row), row);
    }

    private String selection() {
        return "SELECT " + ownNames() + " FROM " + table + byKey();
    }

    /** Returns a row with the changes, which have classes of the protocol unless they are streams. */
    private @Nullable Object[] changed(@Nullable Object[] row) {
        @Nullable Object[] after = row.clone();
        changes.forEach((place, parameter) -> after[place] = parameter.value());
        return after;
    }

    /** Returns the WHERE clause that finds a row by its key. */
    private String byKey() {
        return " WHERE " + key.stream().map(place -> name(place) + " = ?").collect(Collectors.joining(" AND "));
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

    /** Returns the values of the key of a row, before or after a change. */
    private List<Parameter> keyOf(@Nullable Object[] row) {
        return key.stream().map(place -> parameter(place, row[place])).toList();
    }

    /**
     * Returns a value of a result as a parameter. If the engine's type has no constant of its own, the class of the
     * value determines the type.
     */
    private Parameter parameter(int place, @Nullable Object value) {
        Column column = columns.get(place).column();
        return new Parameter(value instanceof Number || value instanceof String ? column.sqlType() : Types.NULL, value);
    }

    /**
     * Runs a prepared statement that returns the columns of one row of the table, and returns this row. The other
     * columns keep their values. Returns null if no row was found.
     */
    private @Nullable Object @Nullable [] run(String sql, List<Parameter> parameters, @Nullable Object[] before)
            throws SQLException {
        List<Integer> own = ownPlaces();
        @Nullable Object[] values = row(sql, parameters, own.size());
        if (values == null) {
            return null;
        }
        @Nullable Object[] after = before.clone();
        for (int i = 0; i < values.length; i++) {
            after[own.get(i)] = values[i];
        }
        return after;
    }

    private @Nullable Object @Nullable [] row(String sql, List<Parameter> parameters, int width) throws SQLException {
        SessionChannel channel = connection.channel();
        channel.guard().acquire();
        try {
            return execute(sql, parameters) instanceof Outcome.Rowset rowset
                    ? RowSource.received(channel, rowset, 0).next(width)
                    : null;
        } finally {
            channel.guard().release();
        }
    }

    /** Runs a prepared statement, and returns its first result. */
    private Outcome run(String sql, List<Parameter> parameters) throws SQLException {
        return connection.channel().guard().get(() -> execute(sql, parameters));
    }

    /** The caller holds the guard of the connection until it has received the result. */
    private Outcome execute(String sql, List<Parameter> parameters) throws SQLException {
        SessionChannel channel = connection.channel();
        StatementText text = channel.slots().reference(sql);
        try {
            List<Parameter> sent = new ParameterUpload(channel).send(parameters);
            Execute request = new Execute(connection.mode(), text, sent, ExecuteOptions.DEFAULT);
            Outcome outcome = channel.call(request, Executed.class).outcomes().get(0);
            if (outcome instanceof Outcome.Rowset rowset) {
                channel.slots().columns(sql, rowset.head());
            }
            return outcome;
        } catch (SQLException | RuntimeException | Error e) {
            channel.slots().invalidate(sql);
            throw e;
        }
    }
}
