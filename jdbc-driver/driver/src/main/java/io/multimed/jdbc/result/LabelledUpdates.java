// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

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
import org.jspecify.annotations.Nullable;

/** Implements the updaters by label. Each updater finds the index of the label and calls the updater by index. */
abstract class LabelledUpdates extends IndexedUpdates {
    @Override
    public void updateNull(String label) throws SQLException {
        updateNull(findColumn(label));
    }

    @Override
    public void updateBoolean(String label, boolean value) throws SQLException {
        updateBoolean(findColumn(label), value);
    }

    @Override
    public void updateByte(String label, byte value) throws SQLException {
        updateByte(findColumn(label), value);
    }

    @Override
    public void updateShort(String label, short value) throws SQLException {
        updateShort(findColumn(label), value);
    }

    @Override
    public void updateInt(String label, int value) throws SQLException {
        updateInt(findColumn(label), value);
    }

    @Override
    public void updateLong(String label, long value) throws SQLException {
        updateLong(findColumn(label), value);
    }

    @Override
    public void updateFloat(String label, float value) throws SQLException {
        updateFloat(findColumn(label), value);
    }

    @Override
    public void updateDouble(String label, double value) throws SQLException {
        updateDouble(findColumn(label), value);
    }

    @Override
    public void updateBigDecimal(String label, @Nullable BigDecimal value) throws SQLException {
        updateBigDecimal(findColumn(label), value);
    }

    @Override
    public void updateString(String label, @Nullable String value) throws SQLException {
        updateString(findColumn(label), value);
    }

    @Override
    public void updateNString(String label, @Nullable String value) throws SQLException {
        updateNString(findColumn(label), value);
    }

    @Override
    public void updateBytes(String label, byte @Nullable [] value) throws SQLException {
        updateBytes(findColumn(label), value);
    }

    @Override
    public void updateDate(String label, @Nullable Date value) throws SQLException {
        updateDate(findColumn(label), value);
    }

    @Override
    public void updateTime(String label, @Nullable Time value) throws SQLException {
        updateTime(findColumn(label), value);
    }

    @Override
    public void updateTimestamp(String label, @Nullable Timestamp value) throws SQLException {
        updateTimestamp(findColumn(label), value);
    }

    @Override
    public void updateObject(String label, @Nullable Object value) throws SQLException {
        updateObject(findColumn(label), value);
    }

    @Override
    public void updateArray(String label, @Nullable Array value) throws SQLException {
        updateArray(findColumn(label), value);
    }

    @Override
    public void updateSQLXML(String label, @Nullable SQLXML value) throws SQLException {
        updateSQLXML(findColumn(label), value);
    }

    @Override
    public void updateBlob(String label, @Nullable Blob value) throws SQLException {
        updateBlob(findColumn(label), value);
    }

    @Override
    public void updateClob(String label, @Nullable Clob value) throws SQLException {
        updateClob(findColumn(label), value);
    }

    @Override
    public void updateNClob(String label, @Nullable NClob value) throws SQLException {
        updateNClob(findColumn(label), value);
    }

    @Override
    public void updateAsciiStream(String label, @Nullable InputStream value, int length) throws SQLException {
        updateAsciiStream(findColumn(label), value, length);
    }

    @Override
    public void updateAsciiStream(String label, @Nullable InputStream value, long length) throws SQLException {
        updateAsciiStream(findColumn(label), value, length);
    }

    @Override
    public void updateAsciiStream(String label, @Nullable InputStream value) throws SQLException {
        updateAsciiStream(findColumn(label), value);
    }

    @Override
    public void updateBinaryStream(String label, @Nullable InputStream value, int length) throws SQLException {
        updateBinaryStream(findColumn(label), value, length);
    }

    @Override
    public void updateBinaryStream(String label, @Nullable InputStream value, long length) throws SQLException {
        updateBinaryStream(findColumn(label), value, length);
    }

    @Override
    public void updateBinaryStream(String label, @Nullable InputStream value) throws SQLException {
        updateBinaryStream(findColumn(label), value);
    }

    @Override
    public void updateCharacterStream(String label, @Nullable Reader value, int length) throws SQLException {
        updateCharacterStream(findColumn(label), value, length);
    }

    @Override
    public void updateCharacterStream(String label, @Nullable Reader value, long length) throws SQLException {
        updateCharacterStream(findColumn(label), value, length);
    }

    @Override
    public void updateCharacterStream(String label, @Nullable Reader value) throws SQLException {
        updateCharacterStream(findColumn(label), value);
    }

    @Override
    public void updateNCharacterStream(String label, @Nullable Reader value, long length) throws SQLException {
        updateNCharacterStream(findColumn(label), value, length);
    }

    @Override
    public void updateNCharacterStream(String label, @Nullable Reader value) throws SQLException {
        updateNCharacterStream(findColumn(label), value);
    }

    @Override
    public void updateBlob(String label, @Nullable InputStream value, long length) throws SQLException {
        updateBlob(findColumn(label), value, length);
    }

    @Override
    public void updateBlob(String label, @Nullable InputStream value) throws SQLException {
        updateBlob(findColumn(label), value);
    }

    @Override
    public void updateClob(String label, @Nullable Reader value, long length) throws SQLException {
        updateClob(findColumn(label), value, length);
    }

    @Override
    public void updateClob(String label, @Nullable Reader value) throws SQLException {
        updateClob(findColumn(label), value);
    }

    @Override
    public void updateNClob(String label, @Nullable Reader value, long length) throws SQLException {
        updateNClob(findColumn(label), value, length);
    }

    @Override
    public void updateNClob(String label, @Nullable Reader value) throws SQLException {
        updateNClob(findColumn(label), value);
    }

    @Override
    public void updateObject(String label, @Nullable Object value, int scaleOrLength) throws SQLException {
        updateObject(findColumn(label), value, scaleOrLength);
    }

    @Override
    public void updateObject(String label, @Nullable Object value, SQLType type) throws SQLException {
        updateObject(findColumn(label), value, type);
    }

    @Override
    public void updateObject(String label, @Nullable Object value, SQLType type, int scaleOrLength)
            throws SQLException {
        updateObject(findColumn(label), value, type, scaleOrLength);
    }
}
