// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.statement;

import io.multimed.jdbc.result.ResultSetKind;
import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.jdbc.value.StreamParameters;
import io.multimed.protocol.value.Parameter;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Calendar;
import org.jspecify.annotations.Nullable;

/**
 * Implements the setters of a prepared statement: each setter creates one {@link Parameter}. The SQL type of the
 * parameter tells the middleware which setter of the engine's driver to call, so that the engine sees the value as with
 * its own driver.
 */
@SuppressWarnings("deprecation") // JDBC has deprecated some of these methods; applications still call them.
abstract class ParameterSetters extends JdbcStatement implements PreparedStatement {
    ParameterSetters(StatementContext connection, ResultSetKind kind) {
        super(connection, kind);
    }

    /**
     * Sets a parameter.
     *
     * @param index from 1
     */
    abstract void set(int index, Parameter parameter) throws SQLException;

    private Parameter bytes(@Nullable InputStream value, long length) throws SQLException {
        return behavior().checksLengthsOfStreams()
                ? StreamParameters.exactBytes(value, length)
                : StreamParameters.bytes(value, length);
    }

    @Override
    public void setAsciiStream(int index, @Nullable InputStream value, int length) throws SQLException {
        set(index, StreamParameters.ascii(value, length));
    }

    @Override
    public void setAsciiStream(int index, @Nullable InputStream value, long length) throws SQLException {
        set(index, StreamParameters.ascii(value, length));
    }

    @Override
    public void setAsciiStream(int index, @Nullable InputStream value) throws SQLException {
        set(index, StreamParameters.ascii(value, -1));
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value, int length) throws SQLException {
        set(index, bytes(value, length));
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value, long length) throws SQLException {
        set(index, bytes(value, length));
    }

    @Override
    public void setBinaryStream(int index, @Nullable InputStream value) throws SQLException {
        set(index, StreamParameters.bytes(value, -1));
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value, int length) throws SQLException {
        set(index, StreamParameters.text(value, length));
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value, long length) throws SQLException {
        set(index, StreamParameters.text(value, length));
    }

    @Override
    public void setCharacterStream(int index, @Nullable Reader value) throws SQLException {
        set(index, StreamParameters.text(value, -1));
    }

    @Override
    public void setNCharacterStream(int index, @Nullable Reader value, long length) throws SQLException {
        set(index, StreamParameters.text(value, length));
    }

    @Override
    public void setNCharacterStream(int index, @Nullable Reader value) throws SQLException {
        set(index, StreamParameters.text(value, -1));
    }

    @Override
    public void setBlob(int index, @Nullable InputStream value, long length) throws SQLException {
        set(index, bytes(value, length));
    }

    @Override
    public void setBlob(int index, @Nullable InputStream value) throws SQLException {
        set(index, StreamParameters.bytes(value, -1));
    }

    @Override
    public void setClob(int index, @Nullable Reader value, long length) throws SQLException {
        set(index, StreamParameters.text(value, length));
    }

    @Override
    public void setClob(int index, @Nullable Reader value) throws SQLException {
        set(index, StreamParameters.text(value, -1));
    }

    @Override
    public void setNClob(int index, @Nullable Reader value, long length) throws SQLException {
        set(index, StreamParameters.text(value, length));
    }

    @Override
    public void setNClob(int index, @Nullable Reader value) throws SQLException {
        set(index, StreamParameters.text(value, -1));
    }

    @Override
    public void setBoolean(int index, boolean value) throws SQLException {
        set(index, new Parameter(Types.BOOLEAN, value));
    }

    /** Sends a SMALLINT: the protocol has no type for bytes. */
    @Override
    public void setByte(int index, byte value) throws SQLException {
        set(index, new Parameter(Types.SMALLINT, (short) value));
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
        set(index, new Parameter(Types.VARCHAR, value));
    }

    @Override
    public void setBytes(int index, byte @Nullable [] value) throws SQLException {
        set(index, new Parameter(Types.BINARY, value));
    }

    @Override
    public void setDate(int index, @Nullable Date value) throws SQLException {
        set(index, ParameterFactory.date(value));
    }

    @Override
    public void setTime(int index, @Nullable Time value) throws SQLException {
        set(index, ParameterFactory.time(value));
    }

    @Override
    public void setTimestamp(int index, @Nullable Timestamp value) throws SQLException {
        set(index, ParameterFactory.timestamp(value));
    }

    @Override
    public void setArray(int index, @Nullable Array value) throws SQLException {
        set(index, ParameterFactory.array(value));
    }

    @Override
    public void setSQLXML(int index, @Nullable SQLXML value) throws SQLException {
        set(index, ParameterFactory.xml(value));
    }

    @Override
    public void setBlob(int index, @Nullable Blob value) throws SQLException {
        set(index, ParameterFactory.blob(value));
    }

    @Override
    public void setClob(int index, @Nullable Clob value) throws SQLException {
        set(index, ParameterFactory.clob(value));
    }

    @Override
    public void setNClob(int index, @Nullable NClob value) throws SQLException {
        set(index, ParameterFactory.clob(value));
    }

    /** Throws 0A000: no supported engine has references. */
    @Override
    public void setRef(int index, @Nullable Ref value) throws SQLException {
        throw SqlErrors.unsupported("PreparedStatement.setRef");
    }

    @Override
    public void setRowId(int index, @Nullable RowId value) throws SQLException {
        throw SqlErrors.unsupported("PreparedStatement.setRowId");
    }

    /** Throws 0A000: applications set the URL's text instead. */
    @Override
    public void setURL(int index, @Nullable URL value) throws SQLException {
        throw SqlErrors.unsupported("PreparedStatement.setURL");
    }

    @Override
    public void setNull(int index, int sqlType) throws SQLException {
        set(index, new Parameter(sqlType, null));
    }

    @Override
    public void setNull(int index, int sqlType, @Nullable String typeName) throws SQLException {
        if (typeName == null) {
            setNull(index, sqlType);
        } else {
            set(index, connection.behavior().nullParameter(sqlType, typeName));
        }
    }

    @Override
    public void setUnicodeStream(int index, @Nullable InputStream value, int length) throws SQLException {
        set(index, StreamParameters.utf8(value, length));
    }

    @Override
    public void setDate(int index, @Nullable Date value, @Nullable Calendar calendar) throws SQLException {
        set(index, value == null ? ParameterFactory.date(null) : ParameterFactory.date(value, calendar));
    }

    @Override
    public void setTime(int index, @Nullable Time value, @Nullable Calendar calendar) throws SQLException {
        set(index, value == null ? ParameterFactory.time(null) : ParameterFactory.time(value, calendar));
    }

    @Override
    public void setTimestamp(int index, @Nullable Timestamp value, @Nullable Calendar calendar) throws SQLException {
        set(index, value == null ? ParameterFactory.timestamp(null) : ParameterFactory.timestamp(value, calendar));
    }

    @Override
    public void setObject(int index, @Nullable Object value) throws SQLException {
        set(index, connection.behavior().parameter(value));
    }

    @Override
    public void setObject(int index, @Nullable Object value, int targetSqlType) throws SQLException {
        set(index, connection.behavior().parameter(value, targetSqlType, -1));
    }

    @Override
    public void setObject(int index, @Nullable Object value, int targetSqlType, int scaleOrLength) throws SQLException {
        set(index, connection.behavior().parameter(value, targetSqlType, scaleOrLength));
    }

    @Override
    public void setObject(int index, @Nullable Object value, SQLType targetSqlType) throws SQLException {
        setObject(index, value, targetSqlType.getVendorTypeNumber());
    }

    @Override
    public void setObject(int index, @Nullable Object value, SQLType targetSqlType, int scaleOrLength)
            throws SQLException {
        setObject(index, value, targetSqlType.getVendorTypeNumber(), scaleOrLength);
    }
}
