// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.metadata.StatementDescription;
import io.multimed.jdbc.result.JdbcResultSet;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.result.ResultSetOwner;
import io.multimed.jdbc.result.RowSource;
import io.multimed.jdbc.session.ParameterUpload;
import io.multimed.jdbc.session.RunningRequest;
import io.multimed.jdbc.session.StatementSlots;
import io.multimed.jdbc.support.Guard;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.jdbc.support.WarningChain;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.ExecuteScript;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.BatchExecuted;
import io.multimed.protocol.response.Executed;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.statement.GeneratedKeys;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.Warning;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A statement without parameters, and the common part of all statements. Holds the results of one execution; the next
 * execution closes them.
 *
 * <p>All threads may call all methods. The {@link #guard} protects the statement and its results: executions of several
 * threads follow one another. {@link #cancel}, {@link #close} and the methods that only return settings, warnings or
 * the current result do not wait for an execution of another thread.
 */
public class JdbcStatement extends StatementSettings implements ResultSetOwner {
    final StatementContext connection;
    private final Guard guard = new Guard();
    private final List<String> script = new ArrayList<>();
    private final StatementResults results = new StatementResults();
    private final WarningChain warnings = new WarningChain();

    /** The request that runs; null between requests. Written by the thread that runs the request. */
    private volatile @Nullable RunningRequest running;

    /** Whether results are being closed by the statement, so that their end does not close the statement. */
    private boolean closingResults;

    private volatile boolean closeOnCompletion;
    private volatile boolean closed;

    /** Creates a statement with the connection's default fetch size. */
    public JdbcStatement(StatementContext connection, ResultSetKind kind) {
        super(kind, connection.defaultFetchSize());
        this.connection = connection;
    }

    @Override
    public final Guard guard() {
        return guard;
    }

    /** Returns the guard of the connection, which is held while a request and its results are exchanged. */
    final Guard exchange() {
        return connection.channel().guard();
    }

    /**
     * Runs SQL. Returns whether the first result has rows. The caller holds the guard of the statement.
     *
     * @param prepared whether the middleware prepares the statement, and remembers it for further executions
     */
    final boolean run(String sql, boolean prepared, List<Parameter> parameters, GeneratedKeys wanted)
            throws SQLException {
        beginExecution();
        checkReadOnly(List.of(sql));
        boolean rows = exchange().get(() -> receive(sql, wanted, execute(sql, prepared, parameters, wanted)));
        checkOpen(); // Another thread may have closed the statement meanwhile, too late to cancel.
        return rows;
    }

    /** Refuses texts that change data on a read-only connection, if the engine's own driver does so. */
    final void checkReadOnly(List<String> texts) throws SQLException {
        if (connection.mode().readOnly() && connection.isReadOnly()) { // SQL may have changed the mode.
            for (String text : texts) {
                behavior().checkReadOnly(text);
            }
        }
    }

    private Executed execute(String sql, boolean prepared, List<Parameter> parameters, GeneratedKeys wanted)
            throws SQLException {
        StatementSlots slots = connection.channel().slots();
        StatementText text = prepared ? slots.reference(sql) : new StatementText(StatementText.NO_SLOT, false, sql);
        try {
            return call(
                    () -> {
                        List<Parameter> sent = new ParameterUpload(connection.channel()).send(parameters);
                        return new Execute(connection.mode(), text, sent, options(wanted));
                    },
                    Executed.class);
        } catch (SQLException | RuntimeException | Error e) {
            slots.invalidate(sql);
            throw e;
        }
    }

    /**
     * Keeps the results of an execution. Their large values and columns are received now, because later requests of the
     * connection would replace them. Returns whether the first result has rows.
     */
    private boolean receive(String sql, GeneratedKeys wanted, Executed executed) throws SQLException {
        if (executed.keys() != null || executed.outcomes().stream().anyMatch(JdbcStatement::hasOtherColumns)) {
            forgetDescription();
        }
        StatementDescription description =
                executed.outcomes().size() == 1 ? description(sql, wanted) : StatementDescription.NONE;
        addWarnings(executed.warnings());
        results.setKeys(() -> keys(executed.keys(), description));
        List<StatementResults.Result> received = new ArrayList<>();
        for (Outcome outcome : statementResults(executed)) {
            received.add(
                    outcome instanceof Outcome.Count count
                            ? new StatementResults.Result(null, count.rows())
                            : new StatementResults.Result(resultSet(sql, (Outcome.Rowset) outcome, description), -1));
        }
        return results.begin(received);
    }

    /** Returns whether a result has other columns than the last result of the same statement. */
    private static boolean hasOtherColumns(Outcome outcome) {
        return outcome instanceof Outcome.Rowset rowset && !rowset.head().sameColumns();
    }

    /** Called before the results of an execution are kept whose columns differ from those of the last one. */
    void forgetDescription() {}

    /**
     * Returns those results of an execution that are results of the statement itself. Calls have further results for
     * OUT parameters that are cursors.
     */
    List<Outcome> statementResults(Executed executed) throws SQLException {
        return executed.outcomes();
    }

    /** Creates a request; may send large parameters ahead. */
    @FunctionalInterface
    interface RequestSource {
        Request create() throws SQLException;
    }

    /**
     * Sends a request that {@link #cancel} can cancel, from the time at which its creation begins. The caller holds the
     * guard of the connection.
     */
    final <T extends Response> T call(RequestSource source, Class<T> kind) throws SQLException {
        RunningRequest mine = new RunningRequest(connection.channel());
        running = mine;
        try {
            checkOpen(); // A thread that closes the statement from now on cancels the request.
            return connection.channel().call(source.create(), kind, mine);
        } finally {
            running = null;
        }
    }

    /** Closes the results of the execution before, and drops its warnings. */
    final void beginExecution() throws SQLException {
        checkOpen();
        closeResults();
        warnings.clear();
    }

    /**
     * Returns the description of a statement. In a text without parameters, a question mark is an operator; such a text
     * cannot be described.
     */
    StatementDescription description(String sql, GeneratedKeys wanted) {
        return sql.indexOf('?') < 0
                ? new StatementDescription(
                        connection, connection.behavior().hasCatalogs(), sql, wanted, null, List.of())
                : StatementDescription.NONE;
    }

    /** Returns a result. A result that remains open after a commit is read completely at once. */
    private JdbcResultSet resultSet(String sql, Outcome.Rowset rowset, StatementDescription description)
            throws SQLException {
        RowSource source = RowSource.received(connection.channel(), rowset, streamedRows());
        if (kind().holds()) {
            source.readAhead();
        }
        connection.unread().add(source);
        List<Column> columns = connection.channel().slots().columns(sql, rowset.head());
        JdbcResultSet result = new JdbcResultSet(connection, this, source, columns, kind(), description);
        return behavior().resultsHaveFetchDirection() ? directed(result) : result;
    }

    /** Returns a result with the fetch direction of the statement; closes a result that cannot have it. */
    private JdbcResultSet directed(JdbcResultSet result) throws SQLException {
        try {
            result.setFetchDirection(getFetchDirection());
            return result;
        } catch (SQLException e) {
            result.close();
            throw e;
        }
    }

    /** Returns generated keys, or the row of OUT parameters. These rows always arrive completely. */
    private @Nullable JdbcResultSet keys(Outcome.@Nullable Rowset rowset, StatementDescription description)
            throws SQLException {
        return rowset == null
                ? null
                : new JdbcResultSet(
                        connection,
                        this,
                        RowSource.received(connection.channel(), rowset, 0),
                        rowset.head().columns(),
                        ResultSetKind.SCROLLS,
                        description);
    }

    /**
     * Returns rows that are not a result of the statement itself, and that remain readable after the statement is
     * closed.
     */
    JdbcResultSet detachedResultSet(Outcome.Rowset rowset) throws SQLException {
        RowSource source = RowSource.received(connection.channel(), rowset, streamedRows());
        connection.unread().add(source);
        ResultSetKind readOnly = new ResultSetKind(kind().type(), ResultSet.CONCUR_READ_ONLY, kind().holdability());
        return new JdbcResultSet(connection, null, source, rowset.head().columns(), readOnly);
    }

    /** Returns the row of a call's OUT parameters; null if there is none. */
    @Nullable
    JdbcResultSet outParameterRow() {
        return results.keys();
    }

    private void addWarnings(List<Warning> news) {
        for (Warning reported : news) {
            warnings.add(new SQLWarning(reported.message(), reported.sqlState(), reported.vendorCode()));
        }
    }

    /** Keeps warnings and generated keys of a batch, and returns the row counts. */
    long[] finishBatch(StatementDescription description, BatchExecuted executed) throws SQLException {
        addWarnings(executed.warnings());
        results.setKeys(() -> keys(executed.keys(), description));
        return executed.counts();
    }

    /**
     * Returns the current result for executeQuery.
     *
     * @throws SQLException if the statement has returned no rows, or several results
     */
    final ResultSet rows(boolean hasRows) throws SQLException {
        JdbcResultSet rows = results.rows();
        if (!hasRows || rows == null) {
            throw connection.behavior().noRows();
        }
        if (!results.isLast() && !connection.behavior().returnsFirstOfSeveralResults()) {
            closeResults();
            throw new SQLException("Multiple ResultSets were returned by the query.", SqlStates.TOO_MANY_RESULTS);
        }
        return rows;
    }

    /**
     * Returns the row count for executeUpdate.
     *
     * @throws SQLException if the statement has returned rows
     */
    final long count(boolean hasRows) throws SQLException {
        if (hasRows) {
            closeResults();
            throw connection.behavior().unexpectedRows();
        }
        return results.count();
    }

    /** Runs a statement that the middleware does not prepare. */
    private boolean execute(String sql, GeneratedKeys wanted) throws SQLException {
        return guard.get(() -> run(sql, false, List.of(), wanted));
    }

    /**
     * Runs an update that may return generated keys. If the update was a query, the engine's own driver may keep its
     * rows for getResultSet.
     */
    private long update(String sql, GeneratedKeys wanted) throws SQLException {
        return guard.get(() -> {
            check(sql, false);
            boolean rows = run(sql, false, List.of(), wanted);
            return wanted.wanted() && connection.behavior().returnsRowsBesideKeys() ? results.count() : count(rows);
        });
    }

    /** Refuses statements that the engine's own driver refuses without asking the engine. */
    private void check(String sql, boolean rowsWanted) throws SQLException {
        checkOpen();
        connection.behavior().checkStatement(sql, rowsWanted, false);
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        return execute(sql, GeneratedKeys.NONE);
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        return execute(sql, RequestedKeys.of(autoGeneratedKeys));
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        return execute(sql, RequestedKeys.of(columnNames));
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        return execute(sql, RequestedKeys.of(columnIndexes));
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        return guard.get(() -> {
            check(sql, true);
            return rows(run(sql, false, List.of(), GeneratedKeys.NONE));
        });
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        return behavior().toInt(executeLargeUpdate(sql));
    }

    @Override
    public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return behavior().toInt(executeLargeUpdate(sql, autoGeneratedKeys));
    }

    @Override
    public int executeUpdate(String sql, String[] columnNames) throws SQLException {
        return behavior().toInt(executeLargeUpdate(sql, columnNames));
    }

    @Override
    public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return behavior().toInt(executeLargeUpdate(sql, columnIndexes));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        return update(sql, GeneratedKeys.NONE);
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return update(sql, RequestedKeys.of(autoGeneratedKeys));
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        return update(sql, RequestedKeys.of(columnNames));
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return update(sql, RequestedKeys.of(columnIndexes));
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        guard.run(() -> {
            checkOpen();
            script.add(sql);
        });
    }

    @Override
    public void clearBatch() throws SQLException {
        guard.run(() -> {
            checkOpen();
            script.clear();
        });
    }

    /** Runs the statements of the batch in one round trip, and empties the batch also if a statement fails. */
    @Override
    public long[] executeLargeBatch() throws SQLException {
        return guard.get(() -> {
            beginExecution();
            List<String> statements = List.copyOf(script);
            checkReadOnly(statements);
            script.clear();
            return statements.isEmpty() ? new long[0] : exchange().get(() -> executeScript(statements));
        });
    }

    private long[] executeScript(List<String> statements) throws SQLException {
        return finishBatch(
                StatementDescription.NONE,
                call(
                        () -> new ExecuteScript(connection.mode(), statements, options(GeneratedKeys.NONE)),
                        BatchExecuted.class));
    }

    @Override
    public int[] executeBatch() throws SQLException {
        return Arrays.stream(executeLargeBatch()).mapToInt(behavior()::toInt).toArray();
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        checkOpen();
        return results.rows();
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return behavior().toInt(getLargeUpdateCount());
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        checkOpen();
        return results.count();
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        return getMoreResults(Statement.CLOSE_CURRENT_RESULT);
    }

    /** Moves to the next result. All results have arrived with the execution; moving costs no round trip. */
    @Override
    public boolean getMoreResults(int current) throws SQLException {
        return guard.get(() -> {
            checkOpen();
            return results.advance(current);
        });
    }

    /** Returns the keys of the last execution; an empty result set if none were requested or generated. */
    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        return guard.get(() -> {
            checkOpen();
            if (results.keys() == null) {
                Outcome.Rowset none = new Outcome.Rowset(new ResultSetHead(0, false, List.of()), Rows.NONE);
                results.setKeys(() -> keys(none, StatementDescription.NONE));
            }
            return Objects.requireNonNull(results.requestKeys(behavior().returnsKeysAgain()));
        });
    }

    /** Closes the statement after its last result, if the application has requested this. */
    @Override
    public void resultSetClosed() throws SQLException {
        if (closeOnCompletion && !closingResults && results.isLast()) {
            close();
        }
    }

    /**
     * Closes all results of the last execution. The statement remains open, even if the application has requested
     * closeOnCompletion.
     */
    private void closeResults() throws SQLException {
        closingResults = true;
        try {
            results.close();
        } finally {
            closingResults = false;
        }
    }

    /**
     * Closes the statement. If another thread runs the statement, cancels it, as the engine's own driver does; that
     * thread then closes the results.
     */
    @Override
    public void close() throws SQLException {
        if (!closed) {
            closed = true;
            RunningRequest request = running;
            if (request != null) {
                request.cancel();
            }
            guard.runOrDefer(this::closeResults);
        }
    }

    @Override
    public boolean isClosed() {
        return closed
                || (behavior().closesStatementsWithConnection()
                        && connection.channel().isClosed());
    }

    @Override
    final DriverBehavior behavior() {
        return connection.behavior();
    }

    @Override
    final void checkOpen() throws SQLException {
        if (isClosed()) {
            throw SqlErrors.closed("statement");
        }
    }

    /**
     * Cancels the running request over a connection of its own, or, between requests, the reading of further rows. Has
     * no effect on an idle or closed statement, or on one that waits for another statement of the connection. A
     * canceled request fails with the engine's error.
     */
    @Override
    public void cancel() throws SQLException {
        JdbcResultSet reading = results.rows();
        RunningRequest request = running;
        if (request != null) {
            request.cancel();
        } else if (reading != null) {
            reading.source().cancel();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        checkOpen();
        return connection;
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return warnings.first();
    }

    @Override
    public void clearWarnings() throws SQLException {
        checkOpen();
        warnings.clear();
    }

    @Override
    public void closeOnCompletion() throws SQLException {
        checkOpen();
        closeOnCompletion = true;
    }

    @Override
    public boolean isCloseOnCompletion() throws SQLException {
        checkOpen();
        return closeOnCompletion;
    }
}
