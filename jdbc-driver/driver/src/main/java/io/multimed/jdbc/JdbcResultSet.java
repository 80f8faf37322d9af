package io.multimed.jdbc;

import io.multimed.protocol.Column;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Date;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows, read-only. Moving about is {@link Cursor}'s, turning values into what is asked for is {@link Values}'. */
final class JdbcResultSet extends LabelledResultSet {
    private final JdbcConnection connection;
    private final @Nullable JdbcStatement statement;
    private final List<Column> columns;
    private final Cursor cursor;
    private final ResultSetKind kind;
    private @Nullable Map<String, Integer> indexes;
    private boolean wasNull;
    private boolean closed;
    private int fetchSize;

    JdbcResultSet(
            JdbcConnection connection,
            @Nullable JdbcStatement statement,
            RowSource source,
            List<Column> columns,
            ResultSetKind kind) {
        this.connection = connection;
        this.statement = statement;
        this.columns = columns;
        this.cursor = new Cursor(source, columns.size(), kind.scrolls());
        this.kind = kind;
    }

    private @Nullable Object value(int column) throws SQLException {
        checkOpen();
        if (column < 1 || column > columns.size()) {
            throw new SQLException(
                    "The column index is out of range: %d, number of columns: %d.".formatted(column, columns.size()),
                    SqlStates.WRONG_PARAMETER);
        }
        Object value = cursor.row()[column - 1];
        wasNull = value == null;
        return value;
    }

    private Column column(int index) {
        return columns.get(index - 1);
    }

    private void checkOpen() throws SQLException {
        if (closed) {
            throw Failures.closed("result set");
        }
    }

    @Override
    public int findColumn(String label) throws SQLException {
        checkOpen();
        Map<String, Integer> known = indexes;
        if (known == null) {
            known = new HashMap<>();
            for (int i = columns.size(); i > 0; i--) {
                known.put(column(i).label().toLowerCase(Locale.US), i);
            }
            indexes = known;
        }
        Integer index = known.get(label);
        if (index == null) {
            index = known.get(label.toLowerCase(Locale.US));
        }
        if (index == null) {
            throw new SQLException(
                    "The column name %s was not found in this ResultSet.".formatted(label), SqlStates.NO_SUCH_COLUMN);
        }
        return index;
    }

    @Override
    public boolean wasNull() throws SQLException {
        checkOpen();
        return wasNull;
    }

    @Override
    public @Nullable String getString(int column) throws SQLException {
        return Values.toText(value(column));
    }

    @Override
    public boolean getBoolean(int column) throws SQLException {
        return Values.toBoolean(value(column));
    }

    @Override
    public byte getByte(int column) throws SQLException {
        return (byte) Values.toInteger(value(column), Byte.MIN_VALUE, Byte.MAX_VALUE, "byte");
    }

    @Override
    public short getShort(int column) throws SQLException {
        return (short) Values.toInteger(value(column), Short.MIN_VALUE, Short.MAX_VALUE, "short");
    }

    @Override
    public int getInt(int column) throws SQLException {
        return value(column) instanceof Integer number
                ? number
                : (int) Values.toInteger(value(column), Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
    }

    @Override
    public long getLong(int column) throws SQLException {
        return Values.toInteger(value(column), Long.MIN_VALUE, Long.MAX_VALUE, "long");
    }

    @Override
    public float getFloat(int column) throws SQLException {
        return (float) getDouble(column);
    }

    @Override
    public double getDouble(int column) throws SQLException {
        return Values.toDouble(value(column));
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
        return Values.toDecimal(value(column));
    }

    @Override
    public byte @Nullable [] getBytes(int column) throws SQLException {
        return Values.toBytes(value(column));
    }

    @Override
    public @Nullable Date getDate(int column) throws SQLException {
        return getDate(column, null);
    }

    @Override
    public @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
        return Temporals.toDate(value(column), calendar);
    }

    @Override
    public @Nullable Time getTime(int column) throws SQLException {
        return getTime(column, null);
    }

    @Override
    public @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
        return Temporals.toTime(value(column), calendar);
    }

    @Override
    public @Nullable Timestamp getTimestamp(int column) throws SQLException {
        return getTimestamp(column, null);
    }

    @Override
    public @Nullable Timestamp getTimestamp(int column, @Nullable Calendar calendar) throws SQLException {
        return Temporals.toTimestamp(value(column), calendar);
    }

    @Override
    public @Nullable Object getObject(int column) throws SQLException {
        return Values.toObject(value(column));
    }

    @Override
    public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
        return Values.toClass(value(column), column(column), type);
    }

    @Override
    public @Nullable Object getObject(int column, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getObject(column);
    }

    @Override
    public @Nullable Array getArray(int column) throws SQLException {
        return Values.toArray(value(column));
    }

    @Override
    public @Nullable InputStream getBinaryStream(int column) throws SQLException {
        byte[] bytes = getBytes(column);
        return bytes == null ? null : new java.io.ByteArrayInputStream(bytes);
    }

    @Override
    public @Nullable Reader getCharacterStream(int column) throws SQLException {
        String text = getString(column);
        return text == null ? null : new java.io.StringReader(text);
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        return new JdbcResultSetMetaData(columns, connection.getCatalog());
    }

    @Override
    public boolean next() throws SQLException {
        checkOpen();
        return cursor.next();
    }

    @Override
    public boolean previous() throws SQLException {
        checkOpen();
        return cursor.absolute(cursor.position() - 1);
    }

    @Override
    public boolean first() throws SQLException {
        checkOpen();
        return cursor.absolute(1);
    }

    @Override
    public boolean last() throws SQLException {
        checkOpen();
        return cursor.absolute(-1);
    }

    @Override
    public boolean absolute(int row) throws SQLException {
        checkOpen();
        return cursor.absolute(row);
    }

    @Override
    public boolean relative(int rows) throws SQLException {
        checkOpen();
        return cursor.absolute(Math.max(0, cursor.position() + rows));
    }

    @Override
    public void beforeFirst() throws SQLException {
        checkOpen();
        cursor.absolute(0);
    }

    @Override
    public void afterLast() throws SQLException {
        checkOpen();
        cursor.afterLast();
    }

    @Override
    public boolean isBeforeFirst() throws SQLException {
        checkOpen();
        return cursor.isBeforeFirst();
    }

    @Override
    public boolean isAfterLast() throws SQLException {
        checkOpen();
        return cursor.isAfterLast();
    }

    @Override
    public boolean isFirst() throws SQLException {
        checkOpen();
        return cursor.hasRow() && cursor.position() == 1;
    }

    @Override
    public boolean isLast() throws SQLException {
        checkOpen();
        return cursor.isLast();
    }

    @Override
    public int getRow() throws SQLException {
        checkOpen();
        return cursor.hasRow() ? cursor.position() : 0;
    }

    @Override
    public void close() throws SQLException {
        if (!closed) {
            closed = true;
            cursor.close();
            if (statement != null) {
                statement.resultSetClosed();
            }
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public @Nullable Statement getStatement() {
        return statement;
    }

    @Override
    public int getType() {
        return kind.type();
    }

    @Override
    public int getConcurrency() {
        return CONCUR_READ_ONLY;
    }

    @Override
    public int getHoldability() {
        return CLOSE_CURSORS_AT_COMMIT;
    }

    @Override
    public int getFetchDirection() {
        return FETCH_FORWARD;
    }

    @Override
    public void setFetchDirection(int direction) {
        // A hint.
    }

    @Override
    public int getFetchSize() {
        return fetchSize;
    }

    @Override
    public void setFetchSize(int rows) {
        fetchSize = rows;
    }

    @Override
    public @Nullable SQLWarning getWarnings() {
        return null;
    }

    @Override
    public void clearWarnings() {
        // A result set gathers none.
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
