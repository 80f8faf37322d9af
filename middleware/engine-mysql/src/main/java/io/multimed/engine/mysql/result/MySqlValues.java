package io.multimed.engine.mysql.result;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.OtherValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whole and decimal numbers as they are, strings of bits as their bytes, all others as the engine's texts: among them are days that no calendar has, and times that are
 * durations. A year is its number.
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

    /** As received, in the text of the statement, and in the packet. */
    @Override
    public int copiesOfSent() {
        return 3;
    }

    /** Only in what the engine's driver says of the catalogue. */
    private static @Nullable Boolean truth(ResultSet rows, int index) throws SQLException {
        boolean truth = rows.getBoolean(index);
        return rows.wasNull() ? null : truth;
    }

    /** Integer, Long, or a decimal number for what is beyond. */
    private static @Nullable Object whole(ResultSet rows, int index) throws SQLException {
        Object value = rows.getObject(index);
        return value instanceof BigInteger large ? new BigDecimal(large) : value;
    }

    /** As the engine's text, which its driver writes otherwise. */
    private static @Nullable String sent(ResultSet rows, int index) throws SQLException {
        byte[] bytes = rows.getBytes(index);
        return bytes == null ? null : new String(bytes, US_ASCII);
    }

    private static @Nullable Integer year(ResultSet rows, int index) throws SQLException {
        String digits = sent(rows, index);
        return digits == null ? null : Integer.valueOf(digits);
    }

    /** What the engine's driver takes for a truth is one bit, which comes as a byte, or a small number, which comes in digits. */
    private static @Nullable Object bits(ResultSet rows, int index, Column column) throws SQLException {
        byte[] bytes = rows.getBytes(index);
        boolean bit = bytes == null || column.precision() > 1 || (bytes.length == 1 && bytes[0] >= 0 && bytes[0] <= 1);
        return bit ? bytes : Integer.valueOf(new String(bytes, US_ASCII));
    }

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

    @Override
    public Object toProtocol(Object value) {
        return value instanceof BigInteger large ? new BigDecimal(large) : new OtherValue("", value.toString());
    }
}
