// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.metadata.JdbcResultSetMetaData;
import io.multimed.jdbc.metadata.StatementDescription;
import io.multimed.jdbc.support.Guard;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.response.Outcome;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.ValueCodec;
import io.multimed.protocol.wire.WireWriter;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A result set. {@link RowCursor} moves over the rows, {@link IndexedGetters} converts values, and {@link RowEditor}
 * changes the table.
 *
 * <p>All threads may call all methods. The guard of the statement protects the position, the changes of a row and the
 * insert row; a result set that belongs to no statement has a guard of its own. The getters take no guard: they read
 * the current row, which is replaced as a whole, so that no value comes from two rows. {@link #wasNull} is about the
 * value that was read last, by any thread.
 */
public final class JdbcResultSet extends NavigationMethods {
    private final ResultContext connection;
    private final @Nullable ResultSetOwner statement;
    private final List<Column> columns;
    private final ResultSetKind kind;
    private final StatementDescription description;

    /** Created by the first search for a label. */
    private volatile @Nullable ColumnLabels labels;

    private @Nullable RowEditor editor;
    /** Of use only if one thread reads, and therefore without a guard. */
    private boolean wasNull;

    private volatile int fetchDirection = FETCH_FORWARD;
    private volatile boolean closed;

    /** Whether the end of the connection closes the result set, as with the engine's own driver. */
    private final boolean endsWithConnection;

    /**
     * Creates a result set.
     *
     * @param statement null for a result that no statement has returned
     * @param description describes the statement of the result, for metadata and updates
     */
    public JdbcResultSet(
            ResultContext connection,
            @Nullable ResultSetOwner statement,
            RowSource source,
            List<Column> columns,
            ResultSetKind kind,
            StatementDescription description) {
        super(
                statement == null ? new Guard() : statement.guard(),
                new RowCursor(source, columns.size(), kind.scrolls(), kind.updates()));
        this.connection = connection;
        this.statement = statement;
        this.columns = columns;
        this.kind = kind;
        this.description = description;
        this.endsWithConnection = connection.behavior().closesStatementsWithConnection();
    }

    /**
     * Creates a result set that no statement has returned, such as rows of the catalog. Such a result set cannot be
     * updated.
     */
    public JdbcResultSet(
            ResultContext connection,
            @Nullable ResultSetOwner statement,
            RowSource source,
            List<Column> columns,
            ResultSetKind kind) {
        this(connection, statement, source, columns, kind, StatementDescription.NONE);
    }

    /** Returns a result set of rows that the driver has in memory, with values in classes of the protocol. */
    public static JdbcResultSet local(ResultContext connection, List<Column> columns, List<@Nullable Object[]> rows) {
        WireWriter out = new WireWriter();
        for (@Nullable Object[] row : rows) {
            for (Object value : row) {
                ValueCodec.write(value, out);
            }
        }
        Outcome.Rowset rowset = new Outcome.Rowset(
                new ResultSetHead(0, false, columns), new Rows(rows.size(), true, out.toByteArray()));
        return new JdbcResultSet(
                connection, null, new RowSource(connection.channel(), rowset, 0), columns, ResultSetKind.SCROLLS);
    }

    /** Returns the source of the rows, by which a statement cancels reading. */
    public RowSource source() {
        return cursor.source();
    }

    @Override
    @Nullable
    Object value(int column) throws SQLException {
        checkOpen();
        @Nullable Object[] row = cursor.row();
        checkColumn(column);
        Object value = row[column - 1];
        wasNull = value == null;
        return value;
    }

    /**
     * Returns an OUT parameter of a call, whose row this result contains.
     *
     * @param registered the type under which the application has registered the parameter
     */
    public @Nullable Object outParameter(int column, int registered) throws SQLException {
        Object value = value(column);
        return connection.conversions().toOutParameter(value, column(column), registered);
    }

    private void checkColumn(int column) throws SQLException {
        if (column < 1 || column > columns.size()) {
            throw connection.behavior().noSuchColumn(column, columns.size());
        }
    }

    @Override
    public Column column(int index) throws SQLException {
        checkColumn(index);
        return columns.get(index - 1);
    }

    @Override
    ResultContext connection() {
        return connection;
    }

    @Override
    int longestField() throws SQLException {
        return statement == null ? 0 : statement.getMaxFieldSize();
    }

    @Override
    void checkOpen() throws SQLException {
        if (isClosed()) {
            throw connection.behavior().closedResult();
        }
    }

    /**
     * Returns the first column with a label, compared without case, as JDBC specifies. On engines whose driver accepts
     * the alias of the column's table before the label, so does this method.
     */
    @Override
    public int findColumn(String label) throws SQLException {
        checkOpen();
        ColumnLabels known = labels;
        if (known == null) {
            known = new ColumnLabels(columns);
            labels = known;
        }
        Integer index = known.find(label);
        if (index == null) {
            throw connection.behavior().noSuchLabel(label);
        }
        return index;
    }

    @Override
    public boolean wasNull() throws SQLException {
        checkOpen();
        return wasNull;
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        return new JdbcResultSetMetaData(columns, description);
    }

    /** Leaves the insert row, as every move to an absolute position does. */
    @Override
    void leaveInsertRow() throws SQLException {
        cursor.checkScrolls();
        cursor.leaveInsertRow();
        checkMovable();
    }

    /** Checks that the result set can move, and drops pending changes of the current row. */
    @Override
    void checkMovable() throws SQLException {
        checkOpen();
        if (cursor.isInserting()) {
            throw new SQLException(
                    "Can't use relative move methods while on the insert row.", SqlStates.INVALID_CURSOR_STATE);
        }
        if (editor != null) {
            editor.forget();
        }
    }

    /**
     * Returns the editor of this result set, which is created on the first use.
     *
     * @throws SQLException 24000 if the result set is read-only, or if its rows cannot be identified
     */
    private RowEditor editor() throws SQLException {
        checkOpen();
        if (!kind.updates()) {
            throw new SQLException(
                    "ResultSets with concurrency CONCUR_READ_ONLY cannot be updated.", SqlStates.INVALID_CURSOR_STATE);
        }
        RowEditor known = editor;
        if (known == null) {
            known = RowEditor.of(connection, description.of(columns));
            editor = known;
        }
        return known;
    }

    @Override
    void update(int column, Parameter value) throws SQLException {
        guard.run(() -> {
            RowEditor to = editor();
            if (!cursor.isInserting()) {
                checkRow();
            }
            checkColumn(column);
            to.change(column, value);
        });
    }

    private void checkRow() throws SQLException {
        if (!cursor.hasRow()) {
            throw new SQLException(
                    "Cannot update the ResultSet because it is either before the start or after the end of the results.",
                    SqlStates.INVALID_CURSOR_STATE);
        }
    }

    @Override
    public void updateRow() throws SQLException {
        guard.run(() -> {
            RowEditor to = notInserting("updateRow");
            checkRow();
            if (to.isChanged()) {
                cursor.replace(to.update(cursor.row()));
            }
            to.forget();
        });
    }

    @Override
    public void deleteRow() throws SQLException {
        guard.run(this::delete);
    }

    private void delete() throws SQLException {
        RowEditor to = notInserting("deleteRow");
        if (!cursor.hasRow()) {
            throw new SQLException(
                    "Currently positioned %s of the ResultSet.  You cannot call deleteRow() here."
                            .formatted(cursor.position() == 0 ? "before the start" : "after the end"),
                    SqlStates.INVALID_CURSOR_STATE);
        }
        to.delete(cursor.row());
        cursor.remove();
    }

    /** Reads the current row again from the table, by its key, and drops pending changes. */
    @Override
    public void refreshRow() throws SQLException {
        guard.run(() -> {
            RowEditor to = editor();
            if (cursor.isInserting()) {
                throw new SQLException("Can't refresh the insert row.", SqlStates.INVALID_CURSOR_STATE);
            }
            if (cursor.hasRow()) {
                cursor.replace(to.read(cursor.row()));
                to.forget();
            }
        });
    }

    /** Returns the editor for a method that is not allowed on the insert row. */
    private RowEditor notInserting(String what) throws SQLException {
        RowEditor to = editor();
        if (cursor.isInserting()) {
            throw onInsertRow(what);
        }
        return to;
    }

    private static SQLException onInsertRow(String what) {
        return new SQLException(
                "Cannot call %s() when on the insert row.".formatted(what), SqlStates.INVALID_CURSOR_STATE);
    }

    /**
     * Inserts the insert row, which then shows the values that the engine has computed. The inserted row becomes the
     * last row of the result.
     */
    @Override
    public void insertRow() throws SQLException {
        guard.run(this::insert);
    }

    private void insert() throws SQLException {
        RowEditor to = editor();
        if (!cursor.isInserting()) {
            throw new SQLException("Not on the insert row.", SqlStates.INVALID_CURSOR_STATE);
        }
        if (!to.isChanged()) {
            throw new SQLException(
                    "You must specify at least one column value to insert a row.", SqlStates.INVALID_PARAMETER);
        }
        @Nullable Object[] row = to.insert();
        if (row != null) {
            cursor.append(row);
        }
        to.forget();
    }

    @Override
    public void moveToInsertRow() throws SQLException {
        moveToInsertRow(true);
    }

    private void moveToInsertRow(boolean there) throws SQLException {
        guard.run(() -> {
            editor().forget();
            if (there) {
                cursor.enterInsertRow(connection.behavior().insertRowHasPosition());
            } else {
                cursor.leaveInsertRow();
            }
        });
    }

    @Override
    public void moveToCurrentRow() throws SQLException {
        moveToInsertRow(false);
    }

    @Override
    public void cancelRowUpdates() throws SQLException {
        guard.run(() -> {
            checkOpen();
            if (cursor.isInserting()) {
                throw onInsertRow("cancelRowUpdates");
            }
            if (editor != null) {
                editor.forget();
            }
        });
    }

    /** Returns false: the driver does not record which rows were changed. */
    @Override
    public boolean rowUpdated() throws SQLException {
        checkOpen();
        return false;
    }

    @Override
    public boolean rowInserted() throws SQLException {
        checkOpen();
        return false;
    }

    @Override
    public boolean rowDeleted() throws SQLException {
        checkOpen();
        return false;
    }

    /**
     * Closes the cursor in the middleware, if rows remain, and notifies the statement, which may close on completion.
     * Does not wait while another thread uses the statement, which then completes the end.
     */
    @Override
    public void close() throws SQLException {
        if (!closed) {
            closed = true;
            guard.runOrDefer(() -> {
                cursor.close();
                if (statement != null) {
                    statement.resultSetClosed();
                }
            });
        }
    }

    @Override
    public boolean isClosed() {
        return closed || (endsWithConnection && connection.channel().isClosed());
    }

    @Override
    public @Nullable Statement getStatement() throws SQLException {
        checkOpen();
        return statement;
    }

    @Override
    public int getType() throws SQLException {
        checkOpen();
        return kind.type();
    }

    @Override
    public int getConcurrency() throws SQLException {
        checkOpen();
        return kind.concurrency();
    }

    @Override
    public int getHoldability() throws SQLException {
        checkOpen();
        return kind.holdability();
    }

    @Override
    public int getFetchDirection() throws SQLException {
        checkOpen();
        return fetchDirection;
    }

    /**
     * Keeps the direction, a hint without effect.
     *
     * @throws SQLException 24000 for another direction than forward if the result set is forward-only
     */
    @Override
    public void setFetchDirection(int direction) throws SQLException {
        checkOpen();
        if (direction < FETCH_FORWARD || direction > FETCH_UNKNOWN) {
            throw new SQLException(
                    "Invalid fetch direction constant: %d.".formatted(direction), SqlStates.INVALID_PARAMETER);
        }
        if (direction != FETCH_FORWARD) {
            cursor.checkScrolls();
        }
        fetchDirection = direction;
    }

    @Override
    public int getFetchSize() throws SQLException {
        checkOpen();
        return cursor.source().fetchSize();
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        if (rows < 0) {
            throw new SQLException(
                    "Fetch size must be a value greater than or equal to 0.", SqlStates.INVALID_PARAMETER);
        }
        cursor.source().setFetchSize(rows);
    }

    /** Returns null: no result has a name that positioned updates could use. */
    @Override
    public @Nullable String getCursorName() throws SQLException {
        checkOpen();
        return null;
    }

    @Override
    public @Nullable SQLWarning getWarnings() throws SQLException {
        checkOpen();
        return null;
    }

    /** A result set has no warnings. */
    @Override
    public void clearWarnings() throws SQLException {
        checkOpen();
    }
}
