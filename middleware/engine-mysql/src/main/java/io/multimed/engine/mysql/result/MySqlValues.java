// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.ColumnOrigin;
import io.multimed.protocol.value.OtherValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts values without loss: integers and decimal numbers as they are, bit strings as their bytes, years as
 * integers, and all others as the engine's texts. Dates may be days that no calendar has, and times may be durations.
 */
public final class MySqlValues implements EngineValues {
    @Override
    public @Nullable Object read(ResultSet rows, int index, Column column) throws SQLException {
        return switch (column.sqlType()) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> whole(rows, index);
            case Types.BOOLEAN -> truth(rows, index);
            case Types.BIT -> bits(rows, index, column);
            case Types.DECIMAL, Types.NUMERIC -> rows.getBigDecimal(index);
            case Types.REAL, Types.FLOAT, Types.DOUBLE, Types.TIME, Types.TIMESTAMP -> sent(rows, index);
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> rows.getBytes(index);
            case Types.DATE -> column.typeName().equals("YEAR") ? year(rows, index) : sent(rows, index);
            default -> rows.getString(index);
        };
    }

    /** Returns the names that the engine sends with each result. A schema is a catalog in terms of JDBC. */
    @Override
    public ColumnOrigin origin(ResultSetMetaData columns, int index) throws SQLException {
        return new ColumnOrigin(
                columns.getSchemaName(index),
                columns.getTableName(index),
                columns.getCatalogName(index),
                Objects.requireNonNullElse(columns.getColumnName(index), ""));
    }

    @Override
    public String alias(ResultSetMetaData columns, int index) {
        return columns instanceof com.mysql.cj.jdbc.result.ResultSetMetaData sent
                ? Objects.requireNonNullElse(sent.getFields()[index - 1].getTableName(), "")
                : "";
    }

    @Override
    public Optional<OutParameter> outParameter(CallableStatement executed, int index) throws SQLException {
        return Optional.of(MySqlOutParameters.read(executed, index));
    }

    /** Returns 3: the value as received, in the text of the statement, and in the packet. */
    @Override
    public int copiesOfSent() {
        return 3;
    }

    /** Reads a boolean, which occurs only in the driver's metadata results. */
    private static @Nullable Boolean truth(ResultSet rows, int index) throws SQLException {
        boolean truth = rows.getBoolean(index);
        return rows.wasNull() ? null : truth;
    }

    /** Returns an Integer, a Long, or a BigDecimal for unsigned numbers beyond the range of Long. */
    private static @Nullable Object whole(ResultSet rows, int index) throws SQLException {
        Object value = rows.getObject(index);
        return value instanceof BigInteger large ? new BigDecimal(large) : value;
    }

    /** Returns the text that the engine sent; the driver would format the value in its own way. */
    private static @Nullable String sent(ResultSet rows, int index) throws SQLException {
        byte[] bytes = rows.getBytes(index);
        return bytes == null ? null : new String(bytes, US_ASCII);
    }

    private static @Nullable Integer year(ResultSet rows, int index) throws SQLException {
        String digits = sent(rows, index);
        return digits == null ? null : Integer.valueOf(digits);
    }

    /**
     * Returns bytes for BIT, and a number for TINYINT(1): the driver reports both as BIT. A bit arrives as a byte with
     * the value 0 or 1, a small number as digits.
     */
    private static @Nullable Object bits(ResultSet rows, int index, Column column) throws SQLException {
        byte[] bytes = rows.getBytes(index);
        boolean bit = bytes == null || column.precision() > 1 || (bytes.length == 1 && bytes[0] >= 0 && bytes[0] <= 1);
        return bit ? bytes : Integer.valueOf(new String(bytes, US_ASCII));
    }

    /** Returns false: the driver streams in auto-commit, too. */
    @Override
    public boolean streamsInTransactionsOnly() {
        return false;
    }

    @Override
    public void stream(Statement statement, String sql, int fetchSize) throws SQLException {
        MySqlStreaming.begin(statement, sql);
    }

    @Override
    public Optional<PreparedStatement> prepareForLarge(Connection connection, String sql, boolean keys)
            throws SQLException {
        return LongStatement.prepare(connection, sql, keys);
    }

    /** Only BigInteger has a counterpart in the protocol; other objects are passed as text. */
    @Override
    public Object toProtocol(Object value) {
        return value instanceof BigInteger large ? new BigDecimal(large) : new OtherValue("", value.toString());
    }
}
