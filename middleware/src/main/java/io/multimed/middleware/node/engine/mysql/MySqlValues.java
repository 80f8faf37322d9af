package io.multimed.middleware.node.engine.mysql;

import io.multimed.middleware.node.engine.EngineValues;
import io.multimed.protocol.Column;
import io.multimed.protocol.OtherValue;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;

/**
 * Numbers as they are, strings of bits as their bytes, dates and times as their text: among them are days that no calendar has, and times that are durations. A year is
 * its number.
 */
final class MySqlValues implements EngineValues {
    @Override
    public @Nullable Object read(ResultSet rows, int index, Column column) throws SQLException {
        return switch (column.sqlType()) {
            case Types.TINYINT, Types.SMALLINT, Types.INTEGER, Types.BIGINT -> whole(rows, index);
            case Types.BIT, Types.BOOLEAN -> bits(rows, index, column);
            case Types.DECIMAL, Types.NUMERIC -> rows.getBigDecimal(index);
            case Types.REAL -> orNull(rows, rows.getFloat(index));
            case Types.FLOAT, Types.DOUBLE -> orNull(rows, rows.getDouble(index));
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> rows.getBytes(index);
            case Types.DATE ->
                column.typeName().equals("YEAR") ? orNull(rows, rows.getInt(index)) : rows.getString(index);
            default -> rows.getString(index);
        };
    }

    /** Integer, Long, or a decimal number for what is beyond. */
    private static @Nullable Object whole(ResultSet rows, int index) throws SQLException {
        Object value = rows.getObject(index);
        return value instanceof BigInteger large ? new BigDecimal(large) : value;
    }

    /** What the engine's driver takes for a truth is a number for the engine; longer ones are bytes. */
    private static @Nullable Object bits(ResultSet rows, int index, Column column) throws SQLException {
        return column.precision() > 1 ? rows.getBytes(index) : orNull(rows, rows.getInt(index));
    }

    private static @Nullable Object orNull(ResultSet rows, Object value) throws SQLException {
        return rows.wasNull() ? null : value;
    }

    @Override
    public Object wire(Object value) {
        return value instanceof BigInteger large ? new BigDecimal(large) : new OtherValue("", value.toString());
    }
}
