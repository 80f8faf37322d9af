package io.multimed.jdbc;

import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.Execute;
import io.multimed.protocol.ExecuteOptions;
import io.multimed.protocol.ExecuteScript;
import io.multimed.protocol.Executed;
import io.multimed.protocol.GeneratedKeys;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Parameter;
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
class JdbcStatement extends RefusingStatement {
    private static final int NO_COUNT = -1;

    final JdbcConnection connection;
    private final ResultSetKind kind;
    private final List<String> script = new ArrayList<>();

    /** Results that getMoreResults has not reached. */
    private final Deque<Outcome> more = new ArrayDeque<>();

    private @Nullable JdbcResultSet results;
    private @Nullable JdbcResultSet keys;
    private long updateCount = NO_COUNT;
    private @Nullable String lastSql;
    private @Nullable SQLWarning warnings;
    private int fetchSize;
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
        boolean plain = maxRows == 0 && fetchSize == 0 && timeoutSeconds == 0 && !wanted.wanted();
        return plain ? ExecuteOptions.DEFAULT : new ExecuteOptions((int) maxRows, fetchSize, timeoutSeconds, wanted);
    }

    /** Runs SQL; true if the first result has rows. */
    boolean run(String sql, StatementText text, List<Parameter> parameters, GeneratedKeys wanted) throws SQLException {
        begin();
        lastSql = sql;
        Execute request = new Execute(connection.mode(), text, parameters, options(wanted));
        Executed executed;
        try {
            executed = connection.call(request, Executed.class);
        } catch (SQLException e) {
            connection.slots().doubt(sql);
            throw e;
        }
        note(executed.warnings());
        keys = executed.keys() == null ? null : resultSet(executed.keys());
        more.addAll(executed.outcomes());
        return advance();
    }

    private void begin() throws SQLException {
        checkOpen();
        closeResults();
        warnings = null;
    }

    private JdbcResultSet resultSet(Outcome.Rowset rowset) throws SQLException {
        String sql = lastSql == null ? "" : lastSql;
        return new JdbcResultSet(
                connection,
                this,
                new RowSource(connection, rowset, fetchSize),
                connection.slots().columns(sql, rowset.head()),
                kind);
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
        keys = executed.keys() == null ? null : resultSet(executed.keys());
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
        return Objects.requireNonNull(results);
    }

    final long count(boolean hasRows) throws SQLException {
        if (hasRows) {
            closeResults();
            throw new SQLException("A result was returned when none was expected.", SqlStates.TOO_MANY_RESULTS);
        }
        return Math.max(0, updateCount);
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
        if (script.isEmpty()) {
            return new long[0];
        }
        beginBatch("");
        List<String> statements = List.copyOf(script);
        script.clear();
        return finishBatch(connection.call(
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
        if (current != Statement.KEEP_CURRENT_RESULT && results != null) {
            results.close();
        }
        return advance();
    }

    @Override
    public ResultSet getGeneratedKeys() throws SQLException {
        checkOpen();
        if (keys == null) {
            Outcome.Rowset none =
                    new Outcome.Rowset(new io.multimed.protocol.ResultSetHead(0, false, List.of()), Rows.NONE);
            keys = new JdbcResultSet(connection, this, new RowSource(connection, none, 0), List.of(), kind);
        }
        return keys;
    }

    /** A result set was closed by the application. */
    void resultSetClosed() throws SQLException {
        if (closeOnCompletion && more.isEmpty()) {
            close();
        }
    }

    private void closeResults() throws SQLException {
        boolean onCompletion = closeOnCompletion;
        closeOnCompletion = false;
        if (results != null) {
            results.close();
            results = null;
        }
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
        connection.cancel();
    }

    @Override
    public Connection getConnection() {
        return connection;
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        checkNotNegative("fetch size", rows);
        fetchSize = rows;
    }

    @Override
    public int getFetchSize() {
        return fetchSize;
    }

    @Override
    public void setMaxRows(int max) throws SQLException {
        checkOpen();
        checkNotNegative("maximum of rows", max);
        maxRows = max;
    }

    @Override
    public int getMaxRows() {
        return (int) maxRows;
    }

    @Override
    public void setQueryTimeout(int seconds) throws SQLException {
        checkOpen();
        checkNotNegative("query timeout", seconds);
        timeoutSeconds = seconds;
    }

    private static void checkNotNegative(String what, int value) throws SQLException {
        if (value < 0) {
            throw new SQLException("a %s of %d".formatted(what, value), SqlStates.WRONG_PARAMETER);
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
    public void setFetchDirection(int direction) {
        // A hint; rows come in one direction only.
    }

    @Override
    public int getFetchDirection() {
        return ResultSet.FETCH_FORWARD;
    }

    @Override
    public int getResultSetConcurrency() {
        return ResultSet.CONCUR_READ_ONLY;
    }

    @Override
    public int getResultSetType() {
        return kind.type();
    }

    @Override
    public int getResultSetHoldability() {
        return ResultSet.CLOSE_CURSORS_AT_COMMIT;
    }

    @Override
    public void setPoolable(boolean poolable) {
        // A hint; prepared statements are kept anyway.
    }

    @Override
    public boolean isPoolable() {
        return false;
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

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("not a wrapper for " + type.getName(), SqlStates.NOT_SUPPORTED);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }
}
