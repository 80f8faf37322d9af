// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import io.multimed.jdbc.value.ParameterFactory;
import io.multimed.jdbc.value.StreamParameters;
import io.multimed.protocol.value.Parameter;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * Implements the updaters by index: each updater creates the same parameter as the setter of the same name. An updater
 * changes nothing in the database; {@code updateRow} or {@code insertRow} sends the parameters.
 */
abstract class IndexedUpdates extends UnsupportedResultSetMethods {
    abstract ResultContext connection();

    /** Keeps a new value for a column of the current row, or of the row to be inserted. */
    abstract void update(int column, Parameter value) throws SQLException;

    @Override
    public void updateNull(int column) throws SQLException {
        update(column, new Parameter(Types.NULL, null));
    }

    @Override
    public void updateBoolean(int column, boolean value) throws SQLException {
        update(column, new Parameter(Types.BOOLEAN, value));
    }

    @Override
    public void updateByte(int column, byte value) throws SQLException {
        update(column, new Parameter(Types.SMALLINT, (short) value));
    }

    @Override
    public void updateShort(int column, short value) throws SQLException {
        update(column, new Parameter(Types.SMALLINT, value));
    }

    @Override
    public void updateInt(int column, int value) throws SQLException {
        update(column, new Parameter(Types.INTEGER, value));
    }

    @Override
    public void updateLong(int column, long value) throws SQLException {
        update(column, new Parameter(Types.BIGINT, value));
    }

    @Override
    public void updateFloat(int column, float value) throws SQLException {
        update(column, new Parameter(Types.REAL, value));
    }

    @Override
    public void updateDouble(int column, double value) throws SQLException {
        update(column, new Parameter(Types.DOUBLE, value));
    }

    @Override
    public void updateBigDecimal(int column, @Nullable BigDecimal value) throws SQLException {
        update(column, new Parameter(Types.NUMERIC, value));
    }

    @Override
    public void updateString(int column, @Nullable String value) throws SQLException {
        update(column, new Parameter(Types.VARCHAR, value));
    }

    @Override
    public void updateNString(int column, @Nullable String value) throws SQLException {
        update(column, new Parameter(Types.VARCHAR, value));
    }

    @Override
    public void updateBytes(int column, byte @Nullable [] value) throws SQLException {
        update(column, new Parameter(Types.BINARY, value));
    }

    @Override
    public void updateDate(int column, @Nullable Date value) throws SQLException {
        update(column, ParameterFactory.date(value));
    }

    @Override
    public void updateTime(int column, @Nullable Time value) throws SQLException {
        update(column, ParameterFactory.time(value));
    }

    @Override
    public void updateTimestamp(int column, @Nullable Timestamp value) throws SQLException {
        update(column, ParameterFactory.timestamp(value));
    }

    @Override
    public void updateObject(int column, @Nullable Object value) throws SQLException {
        update(column, connection().behavior().parameter(value));
    }

    @Override
    public void updateArray(int column, @Nullable Array value) throws SQLException {
        update(column, ParameterFactory.array(value));
    }

    @Override
    public void updateSQLXML(int column, @Nullable SQLXML value) throws SQLException {
        update(column, ParameterFactory.xml(value));
    }

    @Override
    public void updateBlob(int column, @Nullable Blob value) throws SQLException {
        update(column, ParameterFactory.blob(value));
    }

    @Override
    public void updateClob(int column, @Nullable Clob value) throws SQLException {
        update(column, ParameterFactory.clob(value));
    }

    @Override
    public void updateNClob(int column, @Nullable NClob value) throws SQLException {
        update(column, ParameterFactory.clob(value));
    }

    @Override
    public void updateAsciiStream(int column, @Nullable InputStream value, int length) throws SQLException {
        update(column, StreamParameters.ascii(value, length));
    }

    @Override
    public void updateAsciiStream(int column, @Nullable InputStream value, long length) throws SQLException {
        update(column, StreamParameters.ascii(value, length));
    }

    @Override
    public void updateAsciiStream(int column, @Nullable InputStream value) throws SQLException {
        update(column, StreamParameters.ascii(value, -1));
    }

    @Override
    public void updateBinaryStream(int column, @Nullable InputStream value, int length) throws SQLException {
        update(column, StreamParameters.bytes(value, length));
    }

    @Override
    public void updateBinaryStream(int column, @Nullable InputStream value, long length) throws SQLException {
        update(column, StreamParameters.bytes(value, length));
    }

    @Override
    public void updateBinaryStream(int column, @Nullable InputStream value) throws SQLException {
        update(column, StreamParameters.bytes(value, -1));
    }

    @Override
    public void updateCharacterStream(int column, @Nullable Reader value, int length) throws SQLException {
        update(column, StreamParameters.text(value, length));
    }

    @Override
    public void updateCharacterStream(int column, @Nullable Reader value, long length) throws SQLException {
        update(column, StreamParameters.text(value, length));
    }

    @Override
    public void updateCharacterStream(int column, @Nullable Reader value) throws SQLException {
        update(column, StreamParameters.text(value, -1));
    }

    @Override
    public void updateNCharacterStream(int column, @Nullable Reader value, long length) throws SQLException {
        update(column, StreamParameters.text(value, length));
    }

    @Override
    public void updateNCharacterStream(int column, @Nullable Reader value) throws SQLException {
        update(column, StreamParameters.text(value, -1));
    }

    @Override
    public void updateBlob(int column, @Nullable InputStream value, long length) throws SQLException {
        update(column, StreamParameters.bytes(value, length));
    }

    @Override
    public void updateBlob(int column, @Nullable InputStream value) throws SQLException {
        update(column, StreamParameters.bytes(value, -1));
    }

    @Override
    public void updateClob(int column, @Nullable Reader value, long length) throws SQLException {
        update(column, StreamParameters.text(value, length));
    }

    @Override
    public void updateClob(int column, @Nullable Reader value) throws SQLException {
        update(column, StreamParameters.text(value, -1));
    }

    @Override
    public void updateNClob(int column, @Nullable Reader value, long length) throws SQLException {
        update(column, StreamParameters.text(value, length));
    }

    @Override
    public void updateNClob(int column, @Nullable Reader value) throws SQLException {
        update(column, StreamParameters.text(value, -1));
    }

    @Override
    public void updateObject(int column, @Nullable Object value, int scaleOrLength) throws SQLException {
        update(column, connection().behavior().parameter(value));
    }

    @Override
    public void updateObject(int column, @Nullable Object value, SQLType type) throws SQLException {
        update(column, connection().behavior().parameter(value, type.getVendorTypeNumber(), -1));
    }

    @Override
    public void updateObject(int column, @Nullable Object value, SQLType type, int scaleOrLength) throws SQLException {
        update(column, connection().behavior().parameter(value, type.getVendorTypeNumber(), -1));
    }
}
