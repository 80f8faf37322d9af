// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.metadata.JdbcParameterMetaData;
import io.multimed.jdbc.metadata.JdbcResultSetMetaData;
import io.multimed.jdbc.metadata.StatementDescription;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.session.ParameterUpload;
import io.multimed.jdbc.session.StatementSlots;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.value.ParameterTypes;
import io.multimed.protocol.request.ExecuteBatch;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Described.ColumnDescription;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
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

/**
 * A statement with parameters. The driver sends the SQL to the middleware once per session; later executions refer to
 * the SQL by a number. Creating a prepared statement costs no round trip: errors in the SQL are reported by the first
 * execution.
 */
public class JdbcPreparedStatement extends ParameterSetters {
    /** Up to this number, the engine checks the number of parameters. */
    private static final int FEW_PARAMETERS = 65_535;

    private final String sql;
    private final GeneratedKeys wanted;
    private final int maxParameters;
    private final List<@Nullable Parameter> parameters = new ArrayList<>();
    private final List<List<Parameter>> batch = new ArrayList<>();
    private @Nullable StatementDescription description;

    /**
     * Creates a statement.
     *
     * @param wanted the generated keys that each execution returns
     */
    public JdbcPreparedStatement(StatementContext connection, ResultSetKind kind, String sql, GeneratedKeys wanted) {
        super(connection, kind);
        this.sql = sql;
        this.wanted = wanted;
        this.maxParameters = sql.length() <= FEW_PARAMETERS
                ? FEW_PARAMETERS
                : Math.max(FEW_PARAMETERS, connection.behavior().maxParameters(sql));
    }

    /**
     * Keeps a value until the next value for this index, or clearParameters. Values survive executions, as JDBC
     * specifies.
     */
    @Override
    final void set(int index, Parameter parameter) throws SQLException {
        guard().run(() -> {
            checkOpen();
            if (index < 1 || index > maxParameters) {
                throw outOfRange(index);
            }
            while (parameters.size() < index) {
                parameters.add(null);
            }
            Parameter before = parameters.get(index - 1);
            parameters.set(index - 1, connection.behavior().parameterToSend(before, parameter));
        });
    }

    /**
     * Returns the values of all parameters.
     *
     * @throws SQLException if a parameter has no value
     */
    private List<Parameter> current() throws SQLException {
        int count = parameters(parameters.size());
        List<Parameter> row = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Parameter parameter = i < parameters.size() ? parameters.get(i) : null;
            if (parameter == null) {
                parameter = defaultParameter(i + 1);
            }
            if (parameter == null) {
                throw missingParameter(i + 1, count);
            }
            row.add(parameter);
        }
        return row;
    }

    /**
     * Returns the exception for a parameter without a value: the application has set too few parameters, or one too
     * many.
     */
    private SQLException missingParameter(int index, int set) {
        return call() == null && count() < set
                ? outOfRange(set)
                : connection.behavior().unsetParameter(index);
    }

    private SQLException outOfRange(int index) {
        return connection.behavior().noSuchParameter(index, count());
    }

    /**
     * Counts the parameters in the text, for errors: the engine may be unable to describe the statement, and would end
     * the transaction. The parameters of a call are not counted.
     */
    private int count() {
        return call() == null ? BoundSql.count(sql, connection.behavior().comments()) : 0;
    }

    /**
     * Returns the description, which is created once for all results with the same columns. The caller holds the guard.
     */
    @Override
    final StatementDescription description(String text, GeneratedKeys keys) {
        StatementDescription known = description;
        if (known == null) {
            known = new StatementDescription(
                    connection,
                    connection.behavior().hasCatalogs(),
                    text,
                    wanted,
                    call(),
                    ParameterTypes.of(parameters));
            description = known;
        }
        return known;
    }

    @Override
    final void forgetDescription() {
        description = null;
    }

    /** Returns a description of the statement as the engine understands it now. The caller holds the guard. */
    private StatementDescription presentDescription() {
        forgetDescription();
        return description(sql, wanted);
    }

    /**
     * Returns the parameter to send in place of a parameter without a value; null if the application must set a value.
     */
    @Nullable
    Parameter defaultParameter(int index) {
        return null;
    }

    /**
     * Returns the number of parameters.
     *
     * @param set number of parameters that have values
     */
    int parameters(int set) {
        return set;
    }

    /** Runs the statement with the current values. The caller holds the guard. */
    private boolean run() throws SQLException {
        checkOpen();
        return run(sql, true, current(), wanted);
    }

    @Override
    public boolean execute() throws SQLException {
        return guard().get(this::run);
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return guard().get(() -> {
            connection.behavior().checkStatement(sql, true, true);
            return rows(run());
        });
    }

    @Override
    public int executeUpdate() throws SQLException {
        return guard().get(() -> {
            connection.behavior().checkStatement(sql, false, true);
            boolean rows = run();
            return returnsNoCount() ? 0 : behavior().toInt(count(rows));
        });
    }

    /** Returns whether executeUpdate returns 0, and keeps a result for getResultSet. */
    boolean returnsNoCount() {
        return false;
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
        return guard().get(() -> {
            connection.behavior().checkStatement(sql, false, true);
            return count(run());
        });
    }

    /** Copies the current values into the batch; the application may change the values afterwards. */
    @Override
    public void addBatch() throws SQLException {
        guard().run(() -> {
            checkOpen();
            batch.add(current());
        });
    }

    @Override
    public void clearBatch() throws SQLException {
        guard().run(() -> {
            checkOpen();
            batch.clear();
        });
    }

    /** Runs the whole batch in one round trip and empties the batch, also after a failure. */
    @Override
    public long[] executeLargeBatch() throws SQLException {
        return guard().get(() -> {
            beginExecution();
            List<List<Parameter>> given = List.copyOf(batch);
            checkReadOnly(List.of(sql));
            batch.clear();
            return given.isEmpty() ? new long[0] : exchange().get(() -> executeBatch(given));
        });
    }

    private long[] executeBatch(List<List<Parameter>> given) throws SQLException {
        StatementSlots slots = connection.channel().slots();
        StatementText text = slots.reference(sql);
        try {
            return finishBatch(
                    presentDescription(),
                    call(
                            () -> {
                                List<List<Parameter>> rows = new ParameterUpload(connection.channel()).sendAll(given);
                                return new ExecuteBatch(connection.mode(), text, rows, options(wanted));
                            },
                            BatchExecuted.class));
        } catch (SQLException | RuntimeException | Error e) {
            slots.invalidate(sql);
            throw e;
        }
    }

    /** Returns the exception of methods that take SQL: a prepared statement has its SQL already. */
    private static SQLException sqlNotAllowed() {
        return new SQLException(
                "Can't use query methods that take a query string on a PreparedStatement.",
                SqlStates.WRONG_OBJECT_TYPE);
    }

    @Override
    public boolean execute(String text) throws SQLException {
        throw sqlNotAllowed();
    }

    @Override
    public ResultSet executeQuery(String text) throws SQLException {
        throw sqlNotAllowed();
    }

    @Override
    public int executeUpdate(String text) throws SQLException {
        throw sqlNotAllowed();
    }

    @Override
    public void addBatch(String text) throws SQLException {
        throw sqlNotAllowed();
    }

    /** Drops the values of all parameters, but not those in the batch. */
    @Override
    public void clearParameters() throws SQLException {
        guard().run(() -> {
            checkOpen();
            parameters.clear();
        });
    }

    @Override
    public @Nullable ResultSetMetaData getMetaData() throws SQLException {
        guard().acquire();
        try {
            ResultSet results = getResultSet();
            return results != null && !results.isClosed() ? results.getMetaData() : describedMetaData();
        } finally {
            guard().release();
        }
    }

    private @Nullable ResultSetMetaData describedMetaData() throws SQLException {
        StatementDescription known = presentDescription();
        List<Column> columns =
                known.columns().stream().map(ColumnDescription::column).toList();
        return columns.isEmpty() ? null : new JdbcResultSetMetaData(columns, known);
    }

    /**
     * Returns the SQL with the current values, or with those of each row of a batch, as the engine's own driver does.
     * The values may be secret. While another thread uses the statement, returns the SQL without values.
     */
    @Override
    public String toString() {
        if (!guard().tryAcquire()) {
            return sql;
        }
        try {
            return batch.isEmpty()
                    ? text(parameters)
                    : batch.stream().map(this::text).collect(Collectors.joining(";\n"));
        } finally {
            guard().release();
        }
    }

    private String text(List<? extends @Nullable Parameter> values) {
        List<@Nullable Parameter> copy = new ArrayList<>(values);
        return BoundSql.of(sql, connection.behavior().comments(), copy.iterator(), connection.behavior()::literal);
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        return guard().get(() -> {
            checkOpen();
            return new JdbcParameterMetaData(presentDescription().parameters());
        });
    }
}
