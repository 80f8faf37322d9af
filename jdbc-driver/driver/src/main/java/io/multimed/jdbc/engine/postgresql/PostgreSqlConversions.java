// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.postgresql;

import io.multimed.jdbc.engine.ConversionContext;
import io.multimed.jdbc.engine.ResultConversions;
import io.multimed.jdbc.value.BasicConversion;
import io.multimed.jdbc.value.DateTimeConversion;
import io.multimed.jdbc.value.NumberConversion;
import io.multimed.jdbc.value.ObjectConversion;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.Calendar;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of engines whose values all have a class of the protocol: see {@link
 * io.multimed.jdbc.value.BasicConversion}, {@link NumberConversion}, {@link DateTimeConversion} and {@link
 * PostgreSqlObjects}.
 */
record PostgreSqlConversions(ConversionContext connection) implements ResultConversions {
    @Override
    public @Nullable String toText(@Nullable Object value, Column column, int limit) {
        return BasicConversion.toText(value, column, limit);
    }

    /** Compares with the text of the value, without a type, so that the engine takes the type of the column. */
    @Override
    public Match match(String name, @Nullable Object value, Column column) {
        return new Match(name + " = ?", List.of(new Parameter(Types.OTHER, toText(value, column, 0))));
    }

    @Override
    public boolean toBoolean(@Nullable Object value, Column column) throws SQLException {
        return BasicConversion.toBoolean(value);
    }

    @Override
    public byte toByte(@Nullable Object value, Column column) throws SQLException {
        return NumberConversion.toByte(value);
    }

    @Override
    public long toLong(@Nullable Object value, Column column, long least, long most, String type) throws SQLException {
        return NumberConversion.toLong(value, least, most, type);
    }

    @Override
    public float toFloat(@Nullable Object value, Column column) throws SQLException {
        return NumberConversion.toFloat(value);
    }

    @Override
    public double toDouble(@Nullable Object value, Column column) throws SQLException {
        return NumberConversion.toDouble(value);
    }

    @Override
    public @Nullable BigDecimal toBigDecimal(@Nullable Object value, Column column) throws SQLException {
        return NumberConversion.toDecimal(value);
    }

    @Override
    public @Nullable BigDecimal toBigDecimal(@Nullable Object value, Column column, int scale) throws SQLException {
        return NumberConversion.toDecimal(value, scale);
    }

    @Override
    public byte @Nullable [] toBytes(@Nullable Object value, Column column, int limit) {
        return BasicConversion.toBytes(value, column, limit);
    }

    @Override
    public @Nullable Date toDate(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return DateTimeConversion.toDate(value, calendar);
    }

    @Override
    public @Nullable Time toTime(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return DateTimeConversion.toTime(value, calendar);
    }

    @Override
    public @Nullable Timestamp toTimestamp(@Nullable Object value, Column column, @Nullable Calendar calendar)
            throws SQLException {
        return DateTimeConversion.toTimestamp(value, calendar);
    }

    @Override
    public @Nullable Object toObject(@Nullable Object value, Column column, int limit) throws SQLException {
        if (value != null && PostgreSqlBehavior.isCursorType(column)) {
            return rows(value.toString());
        }
        return ObjectConversion.toObject(value, column, limit, connection);
    }

    @Override
    public <T> @Nullable T toObject(@Nullable Object value, Column column, Class<T> type) throws SQLException {
        return PostgreSqlObjects.convert(value, column, type, connection);
    }

    /** Returns all rows of the cursor, and closes the cursor if its transaction is still open, as PgJDBC does. */
    private ResultSet rows(String cursor) throws SQLException {
        String name = '"' + cursor.replace("\"", "\"\"") + '"';
        Statement fetch = connection.createStatement();
        fetch.closeOnCompletion();
        ResultSet rows = fetch.executeQuery("FETCH ALL IN " + name);
        if (connection.inTransaction() && fetch.getFetchSize() == 0) {
            try (Statement close = connection.createStatement()) {
                close.execute("CLOSE " + name);
            }
        }
        return rows;
    }

    @Override
    public @Nullable Blob toBlob(@Nullable Object value, Column column) throws SQLException {
        return ObjectConversion.toBlob(value);
    }

    @Override
    public @Nullable NClob toClob(@Nullable Object value, Column column) throws SQLException {
        return ObjectConversion.toClob(value);
    }

    @Override
    public @Nullable Array toArray(@Nullable Object value, Column column) throws SQLException {
        return ObjectConversion.toArray(value, connection);
    }
}
