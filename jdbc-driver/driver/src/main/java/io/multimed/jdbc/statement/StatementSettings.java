// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.engine.DriverBehavior;
import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.support.SelfWrapper;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.statement.CallOptions;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.GeneratedKeys;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Holds the settings of a statement, which are sent with each execution. A setter sends nothing itself; the settings
 * apply from the next execution on. Each setting is independent of the others, and visible to all threads at once.
 */
abstract class StatementSettings implements Statement, SelfWrapper {
    /** The number of rows per batch if the application requests streaming without a number. */
    private static final int STREAMED_ROWS = 1_000;

    private final ResultSetKind kind;
    private volatile int fetchSize;
    private volatile int fetchDirection = ResultSet.FETCH_FORWARD;
    private volatile int maxFieldSize;
    private volatile boolean poolable = this instanceof PreparedStatement;
    private volatile long maxRows;
    private volatile int timeoutSeconds;

    StatementSettings(ResultSetKind kind, int fetchSize) {
        this.kind = kind;
        this.fetchSize = fetchSize;
    }

    ExecuteOptions options(GeneratedKeys wanted) {
        boolean plain = maxRows == 0 && fetchSize == 0 && timeoutSeconds == 0 && !wanted.wanted() && call() == null;
        return plain
                ? ExecuteOptions.DEFAULT
                : new ExecuteOptions(maxRows, streamedRows(), timeoutSeconds, wanted, call());
    }

    /** Returns the options of a call; null for any other statement. */
    @Nullable
    CallOptions call() {
        return null;
    }

    /**
     * Returns the number of rows per batch; 0 for all rows at once. Rows are sent in batches only if the result is
     * forward-only and is closed by a commit, as with the engine's own driver.
     */
    final int streamedRows() {
        if (kind.scrolls() || kind.holds()) {
            return 0;
        }
        return fetchSize < 0 ? STREAMED_ROWS : fetchSize;
    }

    final ResultSetKind kind() {
        return kind;
    }

    abstract void checkOpen() throws SQLException;

    abstract DriverBehavior behavior();

    /**
     * Sets the number of rows per batch; 0 for all rows at once. A result that exceeds
     * the memory of the client needs a fetch size.
     */
    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        if (!behavior().streamsWithFetchSize(rows)) {
            checkNotNegative("Fetch size", rows);
        }
        fetchSize = rows;
    }

    @Override
    public int getFetchSize() throws SQLException {
        checkOpen();
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

    /** Limits the number of rows of each result; the engine drops further rows. 0 for no limit. */
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

    /** Sets the length, in characters or bytes, to which texts and bytes of results are cut. */
    @Override
    public void setMaxFieldSize(int max) throws SQLException {
        checkOpen();
        checkNotNegative("The maximum field size", max);
        maxFieldSize = max;
    }

    @Override
    public int getMaxFieldSize() throws SQLException {
        checkOpen();
        return maxFieldSize;
    }

    @Override
    public void setCursorName(String name) throws SQLException {
        throw SqlErrors.unsupported("Statement.setCursorName");
    }

    /**
     * Limits the execution in the engine; after the limit, the statement is canceled there. The connection remains
     * usable.
     */
    @Override
    public void setQueryTimeout(int seconds) throws SQLException {
        checkOpen();
        if (seconds < 0) {
            throw new SQLException(
                    "Query timeout must be a value greater than or equals to 0.", SqlStates.INVALID_PARAMETER);
        }
        timeoutSeconds = seconds;
    }

    private static void checkNotNegative(String what, long value) throws SQLException {
        if (value < 0) {
            throw new SQLException(
                    "%s must be a value greater than or equal to 0.".formatted(what), SqlStates.INVALID_PARAMETER);
        }
    }

    @Override
    public int getQueryTimeout() throws SQLException {
        checkOpen();
        return timeoutSeconds;
    }

    /** Keeps the direction, a hint without effect: rows are fetched forward. */
    @Override
    public void setFetchDirection(int direction) throws SQLException {
        checkOpen();
        if (direction < ResultSet.FETCH_FORWARD || direction > ResultSet.FETCH_UNKNOWN) {
            throw new SQLException(
                    "Invalid fetch direction constant: %d.".formatted(direction), SqlStates.INVALID_PARAMETER);
        }
        fetchDirection = direction;
    }

    @Override
    public int getFetchDirection() throws SQLException {
        checkOpen();
        return fetchDirection;
    }

    @Override
    public int getResultSetConcurrency() throws SQLException {
        checkOpen();
        return kind.concurrency();
    }

    @Override
    public int getResultSetType() throws SQLException {
        checkOpen();
        return kind.type();
    }

    @Override
    public int getResultSetHoldability() throws SQLException {
        checkOpen();
        return kind.holdability();
    }

    @Override
    public void setPoolable(boolean wanted) throws SQLException {
        checkOpen();
        poolable = wanted; // A hint without effect: the driver keeps all prepared statements anyway.
    }

    @Override
    public boolean isPoolable() throws SQLException {
        checkOpen();
        return poolable;
    }

    @Override
    public void setEscapeProcessing(boolean enable) throws SQLException {
        checkOpen(); // The engine's own driver in the middleware processes escapes.
    }
}
