package io.multimed.jdbc;

import io.multimed.protocol.BatchExecuted;
import io.multimed.protocol.ExecuteBatch;
import io.multimed.protocol.GeneratedKeys;
import io.multimed.protocol.Parameter;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Date;
import java.sql.ParameterMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.Calendar;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A statement with parameters. Its SQL is sent to the middleware once per connection. */
final class JdbcPreparedStatement extends RefusingPreparedStatement {
    private final String sql;
    private final GeneratedKeys wanted;
    private final List<@Nullable Parameter> parameters = new ArrayList<>();
    private final List<List<Parameter>> batch = new ArrayList<>();

    JdbcPreparedStatement(JdbcConnection connection, ResultSetKind kind, String sql, GeneratedKeys wanted) {
        super(connection, kind);
        this.sql = sql;
        this.wanted = wanted;
    }

    private void set(int index, Parameter parameter) throws SQLException {
        checkOpen();
        if (index < 1 || index > 65_535) {
            throw new SQLException("The column index is out of range: %d.".formatted(index), SqlStates.WRONG_PARAMETER);
        }
        while (parameters.size() < index) {
            parameters.add(null);
        }
        parameters.set(index - 1, parameter);
    }

    private List<Parameter> current() throws SQLException {
        List<Parameter> row = new ArrayList<>(parameters.size());
        for (int i = 0; i < parameters.size(); i++) {
            Parameter parameter = parameters.get(i);
            if (parameter == null) {
                throw new SQLException(
                        "No value specified for parameter %d.".formatted(i + 1), SqlStates.WRONG_PARAMETER);
            }
            row.add(parameter);
        }
        return row;
    }

    @Override
    public boolean execute() throws SQLException {
        checkOpen();
        List<Parameter> row = current();
        return run(sql, connection.slots().text(sql), row, wanted);
    }

    @Override
    public ResultSet executeQuery() throws SQLException {
        return rows(execute());
    }

    @Override
    public int executeUpdate() throws SQLException {
        return (int) count(execute());
    }

    @Override
    public long executeLargeUpdate() throws SQLException {
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
        if (batch.isEmpty()) {
            return new long[0];
        }
        beginBatch(sql);
        List<List<Parameter>> rows = List.copyOf(batch);
        batch.clear();
        try {
            return finishBatch(connection.call(
                    new ExecuteBatch(connection.mode(), connection.slots().text(sql), rows, options(wanted)),
                    BatchExecuted.class));
        } catch (SQLException e) {
            connection.slots().doubt(sql);
            throw e;
        }
    }

    @Override
    public void clearParameters() {
        parameters.clear();
    }

    @Override
    public void setNull(int index, int sqlType) throws SQLException {
        set(index, new Parameter(sqlType, null));
    }

    @Override
    public void setNull(int index, int sqlType, String typeName) throws SQLException {
        setNull(index, sqlType);
    }

    @Override
    public void setBoolean(int index, boolean value) throws SQLException {
        set(index, new Parameter(Types.BOOLEAN, value));
    }

    @Override
    public void setByte(int index, byte value) throws SQLException {
        setShort(index, value);
    }

    @Override
    public void setShort(int index, short value) throws SQLException {
        set(index, new Parameter(Types.SMALLINT, value));
    }

    @Override
    public void setInt(int index, int value) throws SQLException {
        set(index, new Parameter(Types.INTEGER, value));
    }

    @Override
    public void setLong(int index, long value) throws SQLException {
        set(index, new Parameter(Types.BIGINT, value));
    }

    @Override
    public void setFloat(int index, float value) throws SQLException {
        set(index, new Parameter(Types.REAL, value));
    }

    @Override
    public void setDouble(int index, double value) throws SQLException {
        set(index, new Parameter(Types.DOUBLE, value));
    }

    @Override
    public void setBigDecimal(int index, @Nullable BigDecimal value) throws SQLException {
        set(index, new Parameter(Types.NUMERIC, value));
    }

    @Override
    public void setString(int index, @Nullable String value) throws SQLException {
        set(index, new Parameter(Types.VARCHAR, value));
    }

    @Override
    public void setNString(int index, @Nullable String value) throws SQLException {
        setString(index, value);
    }

    @Override
    public void setBytes(int index, byte @Nullable [] value) throws SQLException {
        set(index, new Parameter(Types.BINARY, value));
    }

    @Override
    public void setDate(int index, @Nullable Date value) throws SQLException {
        setDate(index, value, null);
    }

    @Override
    public void setDate(int index, @Nullable Date value, @Nullable Calendar calendar) throws SQLException {
        set(index, value == null ? new Parameter(Types.DATE, null) : Binding.date(value, calendar));
    }

    @Override
    public void setTime(int index, @Nullable Time value) throws SQLException {
        setTime(index, value, null);
    }

    @Override
    public void setTime(int index, @Nullable Time value, @Nullable Calendar calendar) throws SQLException {
        set(index, value == null ? new Parameter(Types.TIME, null) : Binding.time(value, calendar));
    }

    @Override
    public void setTimestamp(int index, @Nullable Timestamp value) throws SQLException {
        setTimestamp(index, value, null);
    }

    @Override
    public void setTimestamp(int index, @Nullable Timestamp value, @Nullable Calendar calendar) throws SQLException {
        set(index, value == null ? new Parameter(Types.TIMESTAMP, null) : Binding.timestamp(value, calendar));
    }

    @Override
    public void setObject(int index, @Nullable Object value) throws SQLException {
        set(index, Binding.object(value));
    }

    @Override
    public void setObject(int index, @Nullable Object value, int targetSqlType) throws SQLException {
        set(index, Binding.object(value, targetSqlType));
    }

    @Override
    public void setObject(int index, @Nullable Object value, int targetSqlType, int scaleOrLength) throws SQLException {
        setObject(index, value, targetSqlType);
    }

    @Override
    public void setObject(int index, @Nullable Object value, SQLType targetSqlType) throws SQLException {
        setObject(index, value, targetSqlType.getVendorTypeNumber());
    }

    @Override
    public void setArray(int index, @Nullable Array value) throws SQLException {
        set(index, value == null ? new Parameter(Types.ARRAY, null) : Binding.array(value));
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value) throws SQLException {
        setBinaryStream(index, value, -1L);
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value, int length) throws SQLException {
        setBinaryStream(index, value, (long) length);
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value, long length) throws SQLException {
        setBytes(index, value == null ? null : Binding.read(value, length));
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value) throws SQLException {
        setCharacterStream(index, value, -1L);
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value, int length) throws SQLException {
        setCharacterStream(index, value, (long) length);
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value, long length) throws SQLException {
        setString(index, value == null ? null : Binding.read(value, length));
    }

    @Override
    public @Nullable ResultSetMetaData getMetaData() throws SQLException {
        ResultSet results = getResultSet();
        return results == null ? null : results.getMetaData();
    }

    @Override
    public ParameterMetaData getParameterMetaData() throws SQLException {
        throw Failures.unsupported("PreparedStatement.getParameterMetaData");
    }
}
