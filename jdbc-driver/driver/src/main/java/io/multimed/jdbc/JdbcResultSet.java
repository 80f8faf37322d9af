package io.multimed.jdbc;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.Column;
import io.multimed.protocol.Outcome;
import io.multimed.protocol.Parameter;
import io.multimed.protocol.ResultSetHead;
import io.multimed.protocol.Rows;
import io.multimed.protocol.ValueCodec;
import io.multimed.protocol.WireWriter;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Rows. Moving about is {@link Cursor}'s, turning values into what is asked for is {@link Values}', changing the table behind them is {@link RowEditor}'s. */
@SuppressWarnings("deprecation") // the interface has them
final class JdbcResultSet extends LabelledResultSet {
    private final JdbcConnection connection;
    private final @Nullable JdbcStatement statement;
    private final List<Column> columns;
    private final Cursor cursor;
    private final ResultSetKind kind;
    private final Description description;
    private @Nullable Map<String, Integer> indexes;
    private @Nullable RowEditor editor;
    private boolean inserting;
    private boolean wasNull;
    private boolean closed;

    /**
     * A result.
     *
     * @param statement null for one that no statement gave
     * @param description of the statement that gave it
     */
    JdbcResultSet(
            JdbcConnection connection,
            @Nullable JdbcStatement statement,
            RowSource source,
            List<Column> columns,
            ResultSetKind kind,
            Description description) {
        this.connection = connection;
        this.statement = statement;
        this.columns = columns;
        this.cursor = new Cursor(source, columns.size(), kind.scrolls());
        this.kind = kind;
        this.description = description;
    }

    /** A result that comes of no statement. */
    JdbcResultSet(
            JdbcConnection connection,
            @Nullable JdbcStatement statement,
            RowSource source,
            List<Column> columns,
            ResultSetKind kind) {
        this(connection, statement, source, columns, kind, Description.NONE);
    }

    /** Rows that came otherwise; values of the protocol's classes. */
    static JdbcResultSet local(JdbcConnection connection, List<Column> columns, List<@Nullable Object[]> rows) {
        WireWriter out = new WireWriter();
        for (@Nullable Object[] row : rows) {
            for (Object value : row) {
                ValueCodec.write(value, out);
            }
        }
        Outcome.Rowset rowset = new Outcome.Rowset(
                new ResultSetHead(0, false, columns), new Rows(rows.size(), true, out.toByteArray()));
        return new JdbcResultSet(
                connection, null, new RowSource(connection, rowset, 0), columns, ResultSetKind.SCROLLS);
    }

    RowSource source() {
        return cursor.source();
    }

    private @Nullable Object value(int column) throws SQLException {
        checkOpen();
        checkColumn(column);
        Object value = inserting ? null : cursor.row()[column - 1];
        wasNull = value == null;
        return value;
    }

    private void checkColumn(int column) throws SQLException {
        if (column < 1 || column > columns.size()) {
            throw new SQLException(
                    "The column index is out of range: %d, number of columns: %d.".formatted(column, columns.size()),
                    SqlStates.WRONG_PARAMETER);
        }
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
        return Values.toObject(value(column), connection);
    }

    @Override
    public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
        return Values.toClass(value(column), column(column), type, connection);
    }

    @Override
    public @Nullable Object getObject(int column, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getObject(column);
    }

    @Override
    public @Nullable Array getArray(int column) throws SQLException {
        return Values.toArray(value(column), connection);
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(int column, int scale) throws SQLException {
        BigDecimal number = getBigDecimal(column);
        return number == null ? null : number.setScale(scale, RoundingMode.HALF_UP);
    }

    @Override
    public @Nullable Blob getBlob(int column) throws SQLException {
        return Values.toBlob(value(column));
    }

    @Override
    public @Nullable Clob getClob(int column) throws SQLException {
        return Values.toClob(value(column));
    }

    @Override
    public @Nullable NClob getNClob(int column) throws SQLException {
        return Values.toClob(value(column));
    }

    @Override
    public @Nullable SQLXML getSQLXML(int column) throws SQLException {
        String text = getString(column);
        return text == null ? null : new JdbcSqlXml(text);
    }

    @Override
    public @Nullable String getNString(int column) throws SQLException {
        return getString(column);
    }

    @Override
    public @Nullable Reader getNCharacterStream(int column) throws SQLException {
        return getCharacterStream(column);
    }

    @Override
    public @Nullable InputStream getAsciiStream(int column) throws SQLException {
        String text = getString(column);
        return text == null ? null : new ByteArrayInputStream(text.getBytes(US_ASCII));
    }

    @Override
    public @Nullable InputStream getUnicodeStream(int column) throws SQLException {
        String text = getString(column);
        return text == null ? null : new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    @Override
    public @Nullable InputStream getBinaryStream(int column) throws SQLException {
        byte[] bytes = getBytes(column);
        return bytes == null ? null : new ByteArrayInputStream(bytes);
    }

    @Override
    public @Nullable Reader getCharacterStream(int column) throws SQLException {
        String text = getString(column);
        return text == null ? null : new StringReader(text);
    }

    @Override
    public ResultSetMetaData getMetaData() throws SQLException {
        checkOpen();
        return new JdbcResultSetMetaData(columns, connection.getCatalog(), description);
    }

    @Override
    public boolean next() throws SQLException {
        checkMovable();
        return cursor.next();
    }

    @Override
    public boolean previous() throws SQLException {
        checkMovable();
        return cursor.absolute(cursor.position() - 1);
    }

    @Override
    public boolean first() throws SQLException {
        checkMovable();
        return cursor.absolute(1);
    }

    @Override
    public boolean last() throws SQLException {
        checkMovable();
        return cursor.absolute(-1);
    }

    @Override
    public boolean absolute(int row) throws SQLException {
        checkMovable();
        return cursor.absolute(row);
    }

    @Override
    public boolean relative(int rows) throws SQLException {
        checkMovable();
        return cursor.absolute(Math.max(0, cursor.position() + rows));
    }

    @Override
    public void beforeFirst() throws SQLException {
        checkMovable();
        cursor.absolute(0);
    }

    @Override
    public void afterLast() throws SQLException {
        checkMovable();
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

    private void checkMovable() throws SQLException {
        checkOpen();
        if (inserting) {
            throw new SQLException("Can't use relative move methods while on the insert row.", SqlStates.WRONG_STATE);
        }
        if (editor != null) {
            editor.forget();
        }
    }

    private RowEditor editor() throws SQLException {
        checkOpen();
        if (!kind.updates()) {
            throw new SQLException(
                    "ResultSets with concurrency CONCUR_READ_ONLY cannot be updated.", SqlStates.WRONG_STATE);
        }
        RowEditor known = editor;
        if (known == null) {
            known = RowEditor.of(connection, description.columns());
            editor = known;
        }
        return known;
    }

    @Override
    void update(int column, Parameter value) throws SQLException {
        RowEditor to = editor();
        if (!inserting && !cursor.hasRow()) {
            throw new SQLException(
                    "Cannot update the ResultSet because it is either before the start or after the end of the results.",
                    SqlStates.WRONG_STATE);
        }
        checkColumn(column);
        to.change(column, value);
    }

    @Override
    public void updateRow() throws SQLException {
        RowEditor to = notInserting("updateRow");
        if (to.isChanged()) {
            replace(to.update(cursor.row()));
        }
        to.forget();
    }

    @Override
    public void deleteRow() throws SQLException {
        RowEditor to = notInserting("deleteRow");
        to.delete(cursor.row());
        cursor.remove();
    }

    @Override
    public void refreshRow() throws SQLException {
        RowEditor to = notInserting("refreshRow");
        replace(to.read(cursor.row()));
        to.forget();
    }

    private void replace(@Nullable Object @Nullable [] values) {
        if (values != null) {
            cursor.replace(values);
        }
    }

    private RowEditor notInserting(String what) throws SQLException {
        RowEditor to = editor();
        if (inserting) {
            throw new SQLException("Cannot call %s() when on the insert row.".formatted(what), SqlStates.WRONG_STATE);
        }
        return to;
    }

    @Override
    public void insertRow() throws SQLException {
        RowEditor to = editor();
        if (!inserting) {
            throw new SQLException("Not on the insert row.", SqlStates.WRONG_STATE);
        }
        if (!to.isChanged()) {
            throw new SQLException(
                    "You must specify at least one column value to insert a row.", SqlStates.WRONG_PARAMETER);
        }
        @Nullable Object[] row = to.insert();
        if (row != null) {
            cursor.append(row);
        }
        to.forget();
    }

    @Override
    public void moveToInsertRow() throws SQLException {
        editor().forget();
        inserting = true;
    }

    @Override
    public void moveToCurrentRow() throws SQLException {
        editor().forget();
        inserting = false;
    }

    @Override
    public void cancelRowUpdates() throws SQLException {
        notInserting("cancelRowUpdates").forget();
    }

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
        return kind.concurrency();
    }

    @Override
    public int getHoldability() {
        return kind.holdability();
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
        return cursor.source().fetchSize();
    }

    @Override
    public void setFetchSize(int rows) throws SQLException {
        checkOpen();
        if (rows < 0) {
            throw new SQLException("Fetch size must be a value greater to or equal to 0.", SqlStates.WRONG_PARAMETER);
        }
        cursor.source().setFetchSize(rows);
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
