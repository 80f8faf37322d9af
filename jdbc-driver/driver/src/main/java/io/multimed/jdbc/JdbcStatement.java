package io.multimed.jdbc;

import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.CallOptions;
import io.multimed.protocol.Execute;
import io.multimed.protocol.ExecuteOptions;
import io.multimed.protocol.ExecuteScript;
import io.multimed.protocol.Executed;
import io.multimed.protocol.GeneratedKeys;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Parameter;
import io.multimed.protocol.Request;
import io.multimed.protocol.Response;
import io.multimed.protocol.ResultSetHead;
import io.multimed.protocol.Rows;
import io.multimed.protocol.StatementText;
import io.multimed.protocol.Warning;
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

/** A statement without parameters, and what both kinds of statements share. */
class JdbcStatement implements Statement, Unwrapping {
    private static final int NO_COUNT = -1;

    final JdbcConnection connection;
    private final ResultSetKind kind;
    private final List<String> script = new ArrayList<>();

    /** Results that getMoreResults has not reached. */
    private final Deque<Outcome> more = new ArrayDeque<>();

    /** Results that getMoreResults left open. */
    private final List<JdbcResultSet> kept = new ArrayList<>();

    /** Read by a thread that cancels, as is {@link #running}. */
    private volatile @Nullable JdbcResultSet results;

    private volatile boolean running;
    private @Nullable JdbcResultSet keys;
    private long updateCount = NO_COUNT;
    private @Nullable String lastSql;
    private @Nullable SQLWarning warnings;
    private Description description = Description.NONE;
    private int fetchSize;
    private int fetchDirection = ResultSet.FETCH_FORWARD;
    private int maxFieldSize;
    private boolean poolable;
    private long maxRows;
    private int timeoutSeconds;
    private boolean closeOnCompletion;
    private boolean closed;

    JdbcStatement(JdbcConnection connection, ResultSetKind kind) {
        this.connection = connection;
        this.kind = kind;
        this.fetchSize = connection.defaultFetchSize();
    }

    ExecuteOptions options(GeneratedKeys wanted) {
        boolean plain = maxRows == 0 && fetchSize == 0 && timeoutSeconds == 0 && !wanted.wanted() && call() == null;
        return plain
                ? ExecuteOptions.DEFAULT
                : new ExecuteOptions(maxRows, streams() ? fetchSize : 0, timeoutSeconds, wanted, call());
    }

    /** What a call has beyond other statements; null if this is none. */
    @Nullable
    CallOptions call() {
        return null;
    }

    /** Rows come piece by piece only to those that read them forward and within their transaction, as with the engine's own driver. */
    private boolean streams() {
        return !kind.scrolls() && !kind.holds();
    }

    /** Runs SQL; true if the first result has rows. */
    boolean run(String sql, StatementText text, List<Parameter> parameters, GeneratedKeys wanted) throws SQLException {
        begin();
        lastSql = sql;
        Execute request =
                new Execute(connection.mode(), text, new Uploads(connection).send(parameters), options(wanted));
        Executed executed;
        try {
            executed = call(request, Executed.class);
        } catch (SQLException e) {
            connection.slots().doubt(sql);
            throw e;
        }
        note(executed.warnings());
        keys = executed.keys() == null ? null : keys(executed.keys());
        description = executed.outcomes().size() == 1 ? description(sql) : Description.NONE;
        more.addAll(executed.outcomes());
        return advance();
    }

    /** One round trip that can be cancelled. */
    final <T extends Response> T call(Request request, Class<T> kind) throws SQLException {
        running = true;
        try {
            return connection.call(request, kind);
        } finally {
            running = false;
        }
    }

    private void begin() throws SQLException {
        checkOpen();
        closeResults();
        warnings = null;
    }

    /** A question mark in a text without parameters is an operator; such a text cannot be described. */
    Description description(String sql) {
        return sql.indexOf('?') < 0 ? new Description(connection, sql) : Description.NONE;
    }

    private JdbcResultSet resultSet(Outcome.Rowset rowset) throws SQLException {
        String sql = lastSql == null ? "" : lastSql;
        RowSource source = RowSource.received(connection, rowset, streams() ? fetchSize : 0);
        if (kind.holds()) {
            source.readAhead();
        }
        connection.opened(source);
        return new JdbcResultSet(
                connection, this, source, connection.slots().columns(sql, rowset.head()), kind, description);
    }

    private JdbcResultSet keys(Outcome.Rowset rowset) throws SQLException {
        return new JdbcResultSet(
                connection,
                this,
                RowSource.received(connection, rowset, 0),
                rowset.head().columns(),
                ResultSetKind.SCROLLS);
    }

    /** The row of a call's OUT parameters; null if it has none. */
    @Nullable
    JdbcResultSet outs() {
        return keys;
    }

    /** Makes the next outcome the current one; true if it has rows. */
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

    private void note(List<Warning> news) {
        for (Warning news1 : news) {
            SQLWarning warning = new SQLWarning(news1.message(), news1.sqlState(), news1.vendorCode());
            if (warnings == null) {
                warnings = warning;
            } else {
                warnings.setNextWarning(warning);
            }
        }
    }

    long[] finishBatch(BatchExecuted executed) throws SQLException {
        note(executed.warnings());
        keys = executed.keys() == null ? null : keys(executed.keys());
        return executed.counts();
    }

    void beginBatch(String sql) throws SQLException {
        begin();
        lastSql = sql;
    }

    static int[] narrow(long[] counts) {
        return Arrays.stream(counts)
                .mapToInt(count -> count > Integer.MAX_VALUE ? SUCCESS_NO_INFO : (int) count)
                .toArray();
    }

    final ResultSet rows(boolean hasRows) throws SQLException {
        if (!hasRows) {
            throw new SQLException("No results were returned by the query.", SqlStates.NO_DATA);
        }
        if (!more.isEmpty()) {
            closeResults();
            throw new SQLException("Multiple ResultSets were returned by the query.", SqlStates.TOO_MANY_RESULTS);
        }
        return Objects.requireNonNull(results);
    }

    final long count(boolean hasRows) throws SQLException {
        if (hasRows) {
            closeResults();
            throw new SQLException("A result was returned when none was expected.", SqlStates.TOO_MANY_RESULTS);
        }
        return updateCount;
    }

    private static StatementText once(String sql) {
        return new StatementText(StatementText.NO_SLOT, false, sql);
    }

    @Override
    public boolean execute(String sql) throws SQLException {
        return run(sql, once(sql), List.of(), GeneratedKeys.NONE);
    }

    @Override
    public boolean execute(String sql, int autoGeneratedKeys) throws SQLException {
        return run(sql, once(sql), List.of(), Keys.of(autoGeneratedKeys));
    }

    @Override
    public boolean execute(String sql, String[] columnNames) throws SQLException {
        return run(sql, once(sql), List.of(), Keys.of(columnNames));
    }

    @Override
    public boolean execute(String sql, int[] columnIndexes) throws SQLException {
        return run(sql, once(sql), List.of(), Keys.of(columnIndexes));
    }

    @Override
    public ResultSet executeQuery(String sql) throws SQLException {
        return rows(execute(sql));
    }

    @Override
    public int executeUpdate(String sql) throws SQLException {
        return (int) count(execute(sql));
    }

    @Override
    public int executeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return (int) count(execute(sql, autoGeneratedKeys));
    }

    @Override
    public int executeUpdate(String sql, String[] columnNames) throws SQLException {
        return (int) count(execute(sql, columnNames));
    }

    @Override
    public int executeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return (int) count(execute(sql, columnIndexes));
    }

    @Override
    public long executeLargeUpdate(String sql) throws SQLException {
        return count(execute(sql));
    }

    @Override
    public long executeLargeUpdate(String sql, int autoGeneratedKeys) throws SQLException {
        return count(execute(sql, autoGeneratedKeys));
    }

    @Override
    public long executeLargeUpdate(String sql, String[] columnNames) throws SQLException {
        return count(execute(sql, columnNames));
    }

    @Override
    public long executeLargeUpdate(String sql, int[] columnIndexes) throws SQLException {
        return count(execute(sql, columnIndexes));
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
        return narrow(executeLargeBatch());
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

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        checkOpen();
        if (keys == null) {
            Outcome.Rowset none = new Outcome.Rowset(new ResultSetHead(0, false, List.of()), Rows.NONE);
            keys = keys(none);
        }
        return keys;
    }

    /** A result set was closed by the application. */
    void resultSetClosed() throws SQLException {
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

    private void closeResults() throws SQLException {
        boolean onCompletion = closeOnCompletion;
        closeOnCompletion = false;
        JdbcResultSet before = results;
        if (before != null) {
            before.close();
            results = null;
        }
        closeKept();
        closeOnCompletion = onCompletion;
        keys = null;
        more.clear();
        updateCount = NO_COUNT;
    }

    @Override
    public void close() throws SQLException {
        if (!closed) {
            closeResults();
            closed = true;
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    final void checkOpen() throws SQLException {
        if (closed) {
            throw Failures.closed("statement");
        }
    }

    @Override
    public void cancel() throws SQLException {
        checkOpen();
        JdbcResultSet reading = results;
        if (running) {
            connection.cancel();
        } else if (reading != null) {
            reading.source().cancel();
        }
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        checkNotNegative("Fetch size", rows);
        fetchSize = rows;
    }

    @Override
    public int getFetchSize() {
        return fetchSize;
    }

    @Override
    public void setMaxRows(int max) throws SQLException {
        setLargeMaxRows(max);
    }

    @Override
    public int getMaxRows() throws SQLException {
        return (int) Math.min(getLargeMaxRows(), Integer.MAX_VALUE);
    }

    @Override
    public void setLargeMaxRows(long max) throws SQLException {
        checkOpen();
        checkNotNegative("Maximum number of rows", max);
        maxRows = max;
    }

    @Override
    public long getLargeMaxRows() throws SQLException {
        checkOpen();
        return maxRows;
    }

    /** Of what the results hold, texts and bytes are cut to this length, in characters or bytes. */
    @Override
    public void setMaxFieldSize(int max) throws SQLException {
        checkOpen();
        checkNotNegative("The maximum field size", max);
        maxFieldSize = max;
    }

    @Override
    public int getMaxFieldSize() {
        return maxFieldSize;
    }

    @Override
    public void setCursorName(String name) throws SQLException {
        throw Failures.unsupported("Statement.setCursorName");
    }

    @Override
    public void setQueryTimeout(int seconds) throws SQLException {
        checkOpen();
        if (seconds < 0) {
            throw new SQLException(
                    "Query timeout must be a value greater than or equals to 0.", SqlStates.WRONG_PARAMETER);
        }
        timeoutSeconds = seconds;
    }

    private static void checkNotNegative(String what, long value) throws SQLException {
        if (value < 0) {
            throw new SQLException(
                    "%s must be a value greater than or equal to 0.".formatted(what), SqlStates.WRONG_PARAMETER);
        }
    }

    @Override
    public int getQueryTimeout() {
        return timeoutSeconds;
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
    public void setFetchDirection(int direction) throws SQLException {
        checkOpen();
        if (direction < ResultSet.FETCH_FORWARD || direction > ResultSet.FETCH_UNKNOWN) {
            throw new SQLException(
                    "Invalid fetch direction constant: %d.".formatted(direction), SqlStates.WRONG_PARAMETER);
        }
        fetchDirection = direction;
    }

    @Override
    public int getFetchDirection() {
        return fetchDirection;
    }

    @Override
    public int getResultSetConcurrency() {
        return kind.concurrency();
    }

    @Override
    public int getResultSetType() {
        return kind.type();
    }

    @Override
    public int getResultSetHoldability() {
        return kind.holdability();
    }

    @Override
    public void setPoolable(boolean wanted) throws SQLException {
        checkOpen();
        poolable = wanted; // a hint; prepared statements are kept anyway
    }

    @Override
    public boolean isPoolable() throws SQLException {
        checkOpen();
        return poolable;
    }

    @Override
    public void setEscapeProcessing(boolean enable) {
        // The engine's own driver reads escapes.
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
