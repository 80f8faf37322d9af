package io.multimed.jdbc.statement;

import io.multimed.jdbc.metadata.JdbcParameterMetaData;
import io.multimed.jdbc.metadata.JdbcResultSetMetaData;
import io.multimed.jdbc.metadata.StatementDescription;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.session.ParameterUpload;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.Described.ColumnDescription;
import io.multimed.protocol.ExecuteBatch;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A statement with parameters. Its SQL is sent to the middleware once per connection. */
public class JdbcPreparedStatement extends ParameterSetters {
    private final String sql;
    private final GeneratedKeys wanted;
    private final List<@Nullable Parameter> parameters = new ArrayList<>();
    private final List<List<Parameter>> batch = new ArrayList<>();
    private @Nullable StatementDescription description;

    public JdbcPreparedStatement(StatementContext connection, ResultSetKind kind, String sql, GeneratedKeys wanted) {
        super(connection, kind);
        this.sql = sql;
        this.wanted = wanted;
    }

    @Override
    final void set(int index, Parameter parameter) throws SQLException {
        checkOpen();
        if (index < 1 || index > 65_535) {
            throw outOfRange(index, described());
        }
        while (parameters.size() < index) {
            parameters.add(null);
        }
        parameters.set(index - 1, connection.manners().sent(parameter));
    }

    private List<Parameter> current() throws SQLException {
        int count = parameters(parameters.size());
        List<Parameter> row = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Parameter parameter = i < parameters.size() ? parameters.get(i) : null;
            if (parameter == null) {
                parameter = unset(i + 1);
            }
            if (parameter == null) {
                throw missing(i + 1, count);
            }
            row.add(parameter);
        }
        return row;
    }

    /** A parameter has no value, or one that does not exist has: the driver does not count the question marks, so the engine is asked. */
    private SQLException missing(int index, int set) throws SQLException {
        int described = described();
        return call() == null && described < set
                ? outOfRange(set, described)
                : connection.manners().unsetParameter(index);
    }

    private SQLException outOfRange(int index, int described) {
        return connection.manners().noSuchParameter(index, described);
    }

    private int described() throws SQLException {
        return description(sql).parameters().size();
    }

    @Override
    final StatementDescription description(String text) {
        StatementDescription known = description;
        if (known == null) {
            // The engine's driver does not describe a call.
            known = call() == null
                    ? new StatementDescription(connection, connection.manners().hasCatalogs(), text)
                    : StatementDescription.NONE;
            description = known;
        }
        return known;
    }

    /** What stands for a parameter that has no value; null if it must have one. */
    @Nullable
    Parameter unset(int index) {
        return null;
    }

    /** How many parameters there are, if {@code set} have values. */
    int parameters(int set) {
        return set;
    }

    @Override
    public boolean execute() throws SQLException {
        checkOpen();
        List<Parameter> row = current();
        return run(sql, connection.channel().slots().text(sql), row, wanted);
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        connection.manners().check(sql, true, true);
        return rows(execute());
    }

    @Override
    public int executeUpdate() throws SQLException {
        connection.manners().check(sql, false, true);
        boolean rows = execute();
        return countsNothing() ? 0 : (int) count(rows);
    }

    /** Whether executeUpdate counts no rows, and leaves a result for getResultSet. */
    boolean countsNothing() {
        return false;
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        connection.manners().check(sql, false, true);
        return count(execute());
    }

    @Override
    public void addBatch() throws SQLException {
        checkOpen();
        batch.add(current());
    }

    @Override
    public void clearBatch() throws SQLException {
        checkOpen();
        batch.clear();
    }

    @Override
    public long[] executeLargeBatch() throws SQLException {
        beginBatch(sql);
        if (batch.isEmpty()) {
            return new long[0];
        }
        List<List<Parameter>> given = List.copyOf(batch);
        batch.clear();
        List<List<Parameter>> rows = new ParameterUpload(connection.channel()).sendAll(given);
        try {
            return finishBatch(call(
                    new ExecuteBatch(
                            connection.mode(), connection.channel().slots().text(sql), rows, options(wanted)),
                    BatchExecuted.class));
        } catch (SQLException e) {
            connection.channel().slots().doubt(sql);
            throw e;
        }
    }

    /** The SQL of a prepared statement is given when it is prepared. */
    private static SQLException fixed() {
        return new SQLException(
                "Can't use query methods that take a query string on a PreparedStatement.", SqlStates.WRONG_OBJECT);
    }

    @Override
    public boolean execute(String text) throws SQLException {
        throw fixed();
    }

    @Override
    public ResultSet executeQuery(String text) throws SQLException {
        throw fixed();
    }

    @Override
    public int executeUpdate(String text) throws SQLException {
        throw fixed();
    }

    @Override
    public void addBatch(String text) throws SQLException {
        throw fixed();
    }

    @Override
    public void clearParameters() {
        parameters.clear();
    }

    @Override
    public @Nullable ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        ResultSet results = getResultSet();
        if (results != null && !results.isClosed()) {
            return results.getMetaData();
        }
        StatementDescription known = description(sql);
        List<Column> columns =
                known.columns().stream().map(ColumnDescription::column).toList();
        return columns.isEmpty() ? null : new JdbcResultSetMetaData(columns, known);
    }

    /**
     * Returns the text with the current values, of each row of a batch, as the engine's own driver does. The values may
     * be secret.
     */
    @Override
    public String toString() {
        return batch.isEmpty()
                ? text(parameters)
                : batch.stream().map(this::text).collect(Collectors.joining(";\n"));
    }

    private String text(List<? extends @Nullable Parameter> values) {
        List<@Nullable Parameter> copy = new ArrayList<>(values);
        return BoundSql.of(sql, copy.iterator(), connection.manners()::literal);
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        checkOpen();
        return new JdbcParameterMetaData(description(sql).parameters());
    }
}
