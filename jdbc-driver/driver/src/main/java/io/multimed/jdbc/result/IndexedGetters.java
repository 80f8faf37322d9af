// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.result;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.value.JdbcSqlXml;
import io.multimed.protocol.value.Column;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.Reader;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Implements the getters by index: each getter converts the value by {@link ResultConversions}, so that the conversions
 * are those of the engine's own driver. Every getter sets the flag that wasNull returns.
 */
@SuppressWarnings("deprecation") // JDBC has deprecated some of these methods; applications still call them.
abstract class IndexedGetters extends LabelledResultSet {
    /**
     * Returns the value of a column of the current row, in a class of the protocol, and remembers for wasNull whether
     * the value is null.
     */
    abstract @Nullable Object value(int column) throws SQLException;

    abstract Column column(int index) throws SQLException;

    private ResultConversions conversions() {
        return connection().conversions();
    }

    /** Returns the limit of Statement.setMaxFieldSize; 0 for none. */
    abstract int longestField() throws SQLException;

    @Override
    public @Nullable String getString(int column) throws SQLException {
        Object value = value(column);
        return conversions().toText(value, column(column), longestField());
    }

    @Override
    public boolean getBoolean(int column) throws SQLException {
        Object value = value(column);
        return conversions().toBoolean(value, column(column));
    }

    @Override
    public byte getByte(int column) throws SQLException {
        Object value = value(column);
        return conversions().toByte(value, column(column));
    }

    @Override
    public short getShort(int column) throws SQLException {
        Object value = value(column);
        return (short) conversions().toLong(value, column(column), Short.MIN_VALUE, Short.MAX_VALUE, "short");
    }

    @Override
    public int getInt(int column) throws SQLException {
        Object value = value(column);
        return value instanceof Integer number
                ? number
                : (int) conversions().toLong(value, column(column), Integer.MIN_VALUE, Integer.MAX_VALUE, "int");
    }

    @Override
    public long getLong(int column) throws SQLException {
        Object value = value(column);
        return conversions().toLong(value, column(column), Long.MIN_VALUE, Long.MAX_VALUE, "long");
    }

    @Override
    public float getFloat(int column) throws SQLException {
        Object value = value(column);
        return conversions().toFloat(value, column(column));
    }

    @Override
    public double getDouble(int column) throws SQLException {
        Object value = value(column);
        return conversions().toDouble(value, column(column));
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(int column) throws SQLException {
        Object value = value(column);
        return conversions().toBigDecimal(value, column(column));
    }

    @Override
    public @Nullable BigDecimal getBigDecimal(int column, int scale) throws SQLException {
        Object value = value(column);
        return conversions().toBigDecimal(value, column(column), scale);
    }

    @Override
    public byte @Nullable [] getBytes(int column) throws SQLException {
        Object value = value(column);
        return conversions().toBytes(value, column(column), longestField());
    }

    @Override
    public @Nullable Date getDate(int column) throws SQLException {
        return getDate(column, null);
    }

    @Override
    public @Nullable Date getDate(int column, @Nullable Calendar calendar) throws SQLException {
        Object value = value(column);
        return conversions().toDate(value, column(column), calendar);
    }

    @Override
    public @Nullable Time getTime(int column) throws SQLException {
        return getTime(column, null);
    }

    @Override
    public @Nullable Time getTime(int column, @Nullable Calendar calendar) throws SQLException {
        Object value = value(column);
        return conversions().toTime(value, column(column), calendar);
    }

    @Override
    public @Nullable Timestamp getTimestamp(int column) throws SQLException {
        return getTimestamp(column, null);
    }

    @Override
    public @Nullable Timestamp getTimestamp(int column, @Nullable Calendar calendar) throws SQLException {
        Object value = value(column);
        return conversions().toTimestamp(value, column(column), calendar);
    }

    @Override
    public @Nullable Object getObject(int column) throws SQLException {
        Object value = value(column);
        return conversions().toObject(value, column(column), longestField());
    }

    @Override
    public <T> @Nullable T getObject(int column, Class<T> type) throws SQLException {
        Object value = value(column);
        return conversions().toObject(value, column(column), type);
    }

    /** Ignores the map: user-defined type mappings are not supported. */
    @Override
    public @Nullable Object getObject(int column, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getObject(column);
    }

    @Override
    public @Nullable Array getArray(int column) throws SQLException {
        Object value = value(column);
        return conversions().toArray(value, column(column));
    }

    @Override
    public @Nullable Blob getBlob(int column) throws SQLException {
        Object value = value(column);
        return conversions().toBlob(value, column(column));
    }

    @Override
    public @Nullable Clob getClob(int column) throws SQLException {
        return getNClob(column);
    }

    @Override
    public @Nullable NClob getNClob(int column) throws SQLException {
        Object value = value(column);
        return conversions().toClob(value, column(column));
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

    /**
     * Returns a stream over the value in memory: the value has been received completely, and remains readable after the
     * cursor moves.
     */
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
    public @Nullable Reader getNCharacterStream(int column) throws SQLException {
        return getCharacterStream(column);
    }
}
