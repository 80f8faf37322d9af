package io.multimed.jdbc.statement;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.metadata.StatementDescription;
import io.multimed.jdbc.result.JdbcResultSet;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.result.ResultSetOwner;
import io.multimed.jdbc.result.RowSource;
import io.multimed.jdbc.session.ParameterUpload;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
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
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.Warning;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A statement without parameters, and the common part of all statements. Holds the results of one execution; the next
 * execution closes them.
 *
 * <p>One thread at a time uses a statement; {@link #cancel} and {@link #close} may also be called by other threads.
 */
public class JdbcStatement extends StatementSettings implements ResultSetOwner {
    private static final int NO_COUNT = -1;

    final StatementContext connection;
    private final List<String> script = new ArrayList<>();

    /** Results that getMoreResults has not reached. */
    private final Deque<Outcome> more = new ArrayDeque<>();

    /** Results that getMoreResults left open. */
    private final List<JdbcResultSet> kept = new ArrayList<>();

    /** The current result. Like {@link #running}, read by a thread that cancels the statement. */
    private volatile @Nullable JdbcResultSet results;

    private volatile boolean running;
    private @Nullable JdbcResultSet keys;
    private long updateCount = NO_COUNT;
    private @Nullable String lastSql;
    private @Nullable SQLWarning warnings;
    private StatementDescription description = StatementDescription.NONE;
    private boolean closeOnCompletion;
    /** May be set by a thread that closes the statement during an execution. */
    private volatile boolean closed;

    /** Creates a statement with the connection's default fetch size. */
    public JdbcStatement(StatementContext connection, ResultSetKind kind) {
        super(kind, connection.defaultFetchSize());
        this.connection = connection;
    }

    /** Runs SQL. Returns whether the first result has rows. */
    boolean run(String sql, StatementText text, List<Parameter> parameters, GeneratedKeys wanted) throws SQLException {
        beginExecution();
        if (connection.mode().readOnly() && connection.isReadOnly()) { // SQL may have changed the mode.
            behavior().checkReadOnly(sql);
        }
        lastSql = sql;
        Execute request = new Execute(
                connection.mode(), text, new ParameterUpload(connection.channel()).send(parameters), options(wanted));
        Executed executed;
        try {
            executed = call(request, Executed.class);
        } catch (SQLException e) {
            connection.channel().slots().invalidate(sql);
            throw e;
        }
        addWarnings(executed.warnings());
        keys = executed.keys() == null ? null : keys(executed.keys());
        description = executed.outcomes().size() == 1 ? description(sql) : StatementDescription.NONE;
        more.addAll(statementResults(executed));
        boolean rows = advance();
        if (closed) {
            closeResults(); // Another thread closed the statement while the statement ran, too late to cancel.
        }
        return rows;
    }

    /**
     * Returns those results of an execution that are results of the statement itself. Calls have further results for
     * OUT parameters that are cursors.
     */
    List<Outcome> statementResults(Executed executed) throws SQLException {
        return executed.outcomes();
    }

    /** Sends a request that {@link #cancel} can cancel. */
    final <T extends Response> T call(Request request, Class<T> kind) throws SQLException {
        running = true;
        try {
            return connection.channel().call(request, kind);
        } finally {
            running = false;
        }
    }

    /** Closes the results of the execution before, and drops its warnings. */
    private void beginExecution() throws SQLException {
        checkOpen();
        closeResults();
        warnings = null;
    }

    /**
     * Returns the description of a statement. In a text without parameters, a question mark is an operator; such a text
     * cannot be described.
     */
    StatementDescription description(String sql) {
        return sql.indexOf('?') < 0
                ? new StatementDescription(connection, connection.behavior().hasCatalogs(), sql)
                : StatementDescription.NONE;
    }

    /** Returns the current result. A result that remains open after a commit is read completely at once. */
    private JdbcResultSet resultSet(Outcome.Rowset rowset) throws SQLException {
        String sql = lastSql == null ? "" : lastSql;
        RowSource source = RowSource.received(connection.channel(), rowset, streamedRows());
        if (kind().holds()) {
            source.readAhead();
        }
        connection.unread().add(source);
        return new JdbcResultSet(
                connection,
                this,
                source,
                connection.channel().slots().columns(sql, rowset.head()),
                kind(),
                description);
    }

    /** Returns generated keys, or the row of OUT parameters. These rows always arrive completely. */
    private JdbcResultSet keys(Outcome.Rowset rowset) throws SQLException {
        return new JdbcResultSet(
                connection,
                this,
                RowSource.received(connection.channel(), rowset, 0),
                rowset.head().columns(),
                ResultSetKind.SCROLLS);
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
        return keys;
    }

    /** Moves to the next result. Returns whether this result has rows. */
    private boolean advance() throws SQLException {
        results = null;
        updateCount = NO_COUNT;
        Outcome next = more.poll();
        if (next instanceof Outcome.Rowset rowset) {
            results = resultSet(rowset);
            return true;
        }
        if (next instanceof Outcome.Count count) {
            updateCount = count.rows();
        }
        return false;
    }

    private void addWarnings(List<Warning> news) {
        for (Warning reported : news) {
            SQLWarning warning = new SQLWarning(reported.message(), reported.sqlState(), reported.vendorCode());
            if (warnings == null) {
                warnings = warning;
            } else {
                warnings.setNextWarning(warning);
            }
        }
    }

    /** Keeps warnings and generated keys of a batch, and returns the row counts. */
    long[] finishBatch(BatchExecuted executed) throws SQLException {
        addWarnings(executed.warnings());
        keys = executed.keys() == null ? null : keys(executed.keys());
        return executed.counts();
    }

    /**
     * Closes the previous results before a batch.
     *
     * @param sql the prepared statement of the batch; empty for a batch of several statements
     */
    void beginBatch(String sql) throws SQLException {
        beginExecution();
        lastSql = sql;
    }

    /** Returns row counts as ints; SUCCESS_NO_INFO for counts that do not fit. */
    static int[] toIntCounts(long[] counts) {
        return Arrays.stream(counts)
                .mapToInt(count -> count > Integer.MAX_VALUE ? SUCCESS_NO_INFO : (int) count)
                .toArray();
    }

    /**
     * Returns the current result for executeQuery.
     *
     * @throws SQLException if the statement has returned no rows, or several results
     */
    final ResultSet rows(boolean hasRows) throws SQLException {
        if (!hasRows) {
            throw connection.behavior().noRows();
        }
        if (!more.isEmpty() && !connection.behavior().returnsFirstOfSeveralResults()) {
            closeResults();
            throw new SQLException("Multiple ResultSets were returned by the query.", SqlStates.TOO_MANY_RESULTS);
        }
        return Objects.requireNonNull(results);
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
        return updateCount;
    }

    /**
     * Runs an update that may return generated keys. If the update was a query, the engine's own driver may keep its
     * rows for getResultSet.
     */
    private long count(String sql, GeneratedKeys wanted) throws SQLException {
        boolean rows = run(sql, unprepared(sql), List.of(), wanted);
        return wanted.wanted() && connection.behavior().returnsRowsBesideKeys() ? updateCount : count(rows);
    }

    /** Refuses statements that the engine's own driver refuses without asking the engine. */
    private void check(String sql, boolean rowsWanted) throws SQLException {
        checkOpen();
        connection.behavior().checkStatement(sql, rowsWanted, false);
    }

    /** Returns the text of a statement that the middleware does not prepare. */
    private static StatementText unprepared(String sql) {
        return new StatementText(StatementText.NO_SLOT, false, sql);
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        return run(sql, unprepared(sql), List.of(), GeneratedKeys.NONE);
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        return run(sql, unprepared(sql), List.of(), RequestedKeys.of(autoGeneratedKeys));
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        return run(sql, unprepared(sql), List.of(), RequestedKeys.of(columnNames));
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        return run(sql, unprepared(sql), List.of(), RequestedKeys.of(columnIndexes));
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        check(sql, true);
        return rows(execute(sql));
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        check(sql, false);
        return (int) count(execute(sql));
    }

    @Override
    public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        check(sql, false);
        return (int) count(sql, RequestedKeys.of(autoGeneratedKeys));
    }

    @Override
    public int executeUpdate(String sql, String[] columnNames) throws SQLException {
        check(sql, false);
        return (int) count(sql, RequestedKeys.of(columnNames));
    }

    @Override
    public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
        check(sql, false);
        return (int) count(sql, RequestedKeys.of(columnIndexes));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        check(sql, false);
        return count(execute(sql));
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        check(sql, false);
        return count(sql, RequestedKeys.of(autoGeneratedKeys));
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        check(sql, false);
        return count(sql, RequestedKeys.of(columnNames));
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        check(sql, false);
        return count(sql, RequestedKeys.of(columnIndexes));
    }

    @Override
    public void addBatch(String sql) throws SQLException {
        checkOpen();
        script.add(sql);
    }

    @Override
    public void clearBatch() throws SQLException {
        checkOpen();
        script.clear();
    }

    /** Runs the statements of the batch in one round trip, and empties the batch also if a statement fails. */
    @Override
    public long[] executeLargeBatch() throws SQLException {
        beginBatch("");
        if (script.isEmpty()) {
            return new long[0];
        }
        List<String> statements = List.copyOf(script);
        script.clear();
        return finishBatch(call(
                new ExecuteScript(connection.mode(), statements, options(GeneratedKeys.NONE)), BatchExecuted.class));
    }

    @Override
    public int[] executeBatch() throws SQLException {
        return toIntCounts(executeLargeBatch());
    }

    @Override
    public @Nullable ResultSet getResultSet() throws SQLException {
        checkOpen();
        return results;
    }

    @Override
    public int getUpdateCount() throws SQLException {
        return (int) getLargeUpdateCount();
    }

    @Override
    public long getLargeUpdateCount() throws SQLException {
        checkOpen();
        return updateCount;
    }

    @Override
    public boolean getMoreResults() throws SQLException {
        return getMoreResults(Statement.CLOSE_CURRENT_RESULT);
    }

    /** Moves to the next result. All results have arrived with the execution; moving costs no round trip. */
    @Override
    public boolean getMoreResults(int current) throws SQLException {
        checkOpen();
        JdbcResultSet before = results;
        if (current == Statement.KEEP_CURRENT_RESULT && before != null) {
            kept.add(before);
        } else if (before != null) {
            before.close();
        }
        if (current == Statement.CLOSE_ALL_RESULTS) {
            closeKept();
        }
        return advance();
    }

    /** Returns the keys of the last execution; an empty result set if none were requested or generated. */
    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        checkOpen();
        if (keys == null) {
            Outcome.Rowset none = new Outcome.Rowset(new ResultSetHead(0, false, List.of()), Rows.NONE);
            keys = keys(none);
        }
        return keys;
    }

    /** Closes the statement after its last result, if the application has requested this. */
    @Override
    public void resultSetClosed() throws SQLException {
        if (closeOnCompletion && more.isEmpty()) {
            close();
        }
    }

    private void closeKept() throws SQLException {
        for (JdbcResultSet result : List.copyOf(kept)) {
            result.close();
        }
        kept.clear();
    }

    /**
     * Closes all results of the last execution. The statement remains open, even if the application has requested
     * closeOnCompletion.
     */
    private void closeResults() throws SQLException {
        boolean onCompletion = closeOnCompletion;
        closeOnCompletion = false;
        JdbcResultSet before = results;
        if (before != null) {
            before.close();
            results = null;
        }
        closeKept();
        if (keys != null) {
            keys.close();
            keys = null;
        }
        closeOnCompletion = onCompletion;
        more.clear();
        updateCount = NO_COUNT;
    }

    /** Closes the statement. If another thread runs the statement, cancels it, as the engine's own driver does. */
    @Override
    public void close() throws SQLException {
        if (!closed && running) {
            closed = true;
            connection.channel().cancel();
        } else if (!closed) {
            closeResults();
            closed = true;
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    final DriverBehavior behavior() {
        return connection.behavior();
    }

    @Override
    final void checkOpen() throws SQLException {
        if (closed) {
            throw SqlErrors.closed("statement");
        }
    }

    /**
     * Cancels the running request over a connection of its own, or, between requests, the reading of further rows. Has
     * no effect on an idle statement. A canceled request fails with the engine's error.
     */
    @Override
    public void cancel() throws SQLException {
        checkOpen();
        JdbcResultSet reading = results;
        if (running) {
            connection.channel().cancel();
        } else if (reading != null) {
            reading.source().cancel();
        }
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return warnings;
    }

    @Override
    public void clearWarnings() {
        warnings = null;
    }

    @Override
    public void closeOnCompletion() {
        closeOnCompletion = true;
    }

    @Override
    public boolean isCloseOnCompletion() {
        return closeOnCompletion;
    }
}
