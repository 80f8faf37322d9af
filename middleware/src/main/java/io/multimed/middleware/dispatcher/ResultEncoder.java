package io.multimed.middleware.dispatcher;

import io.multimed.protocol.ArrayValue;
import io.multimed.protocol.Column;
import io.multimed.protocol.OtherValue;
import io.multimed.protocol.Rows;
import io.multimed.protocol.ValueCodec;
import io.multimed.protocol.WireWriter;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes rows straight from an engine's result set into a batch. Owned by one result set. */
final class ResultEncoder {
    /** A batch ends after the row that reaches this size, in bytes. */
    private static final int BATCH_BYTES = 256 << 10;

    private final ResultSet rows;
    private final List<Column> columns;
    private final int[] types;
    private boolean atEnd;

    ResultEncoder(ResultSet rows) throws SQLException {
        this(rows, null);
    }

    /**
     * Reads a result set.
     *
     * @param known the columns that the same statement had before, or null: most of what a column is told by its label, type, precision and scale, so
     *     where these are the same, the rest is not asked for again
     */
    ResultEncoder(ResultSet rows, @Nullable List<Column> known) throws SQLException {
        this.rows = rows;
        ResultSetMetaData data = rows.getMetaData();
        this.columns = known != null && areThose(known, data) ? known : columns(data);
        this.types = columns.stream().mapToInt(Column::sqlType).toArray();
    }

    List<Column> columns() {
        return columns;
    }

    /**
     * The next batch.
     *
     * @param maxRows rows at most, 0 for no limit but the batch's size
     * @param all everything that is left, whatever its size
     */
    Rows next(int maxRows, boolean all) throws SQLException {
        WireWriter out = new WireWriter();
        int count = 0;
        while (!atEnd && (all || (out.size() < BATCH_BYTES && (maxRows == 0 || count < maxRows)))) {
            if (rows.next()) {
                writeRow(out);
                count++;
            } else {
                atEnd = true;
            }
        }
        return new Rows(count, atEnd, out.toByteArray());
    }

    private void writeRow(WireWriter out) throws SQLException {
        for (int i = 0; i < types.length; i++) {
            ValueCodec.write(value(i + 1, types[i]), out);
        }
    }

    private @Nullable Object value(int column, int type) throws SQLException {
        return switch (type) {
            case Types.INTEGER, Types.SMALLINT, Types.TINYINT -> orNull(rows.getInt(column));
            case Types.BIGINT -> orNull(rows.getLong(column));
            case Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR -> text(column);
            case Types.NUMERIC, Types.DECIMAL -> decimal(column);
            case Types.BIT, Types.BOOLEAN -> truth(column);
            case Types.REAL -> orNull(rows.getFloat(column));
            case Types.FLOAT, Types.DOUBLE -> orNull(rows.getDouble(column));
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> rows.getBytes(column);
            default -> rareValue(column, type);
        };
    }

    private @Nullable Object rareValue(int column, int type) throws SQLException {
        return switch (type) {
            case Types.DATE -> rows.getObject(column, LocalDate.class);
            case Types.TIME -> time(column);
            case Types.TIMESTAMP -> timestamp(column);
            case Types.TIME_WITH_TIMEZONE -> rows.getObject(column, OffsetTime.class);
            case Types.TIMESTAMP_WITH_TIMEZONE -> rows.getObject(column, OffsetDateTime.class);
            case Types.ARRAY -> array(column);
            default -> other(column);
        };
    }

    private @Nullable Object orNull(Object value) throws SQLException {
        return rows.wasNull() ? null : value;
    }

    /** An enum has a type name of its own, a text has none worth telling. */
    private @Nullable Object text(int column) throws SQLException {
        return rows.getString(column);
    }

    /** NaN and infinities have no BigDecimal. */
    private @Nullable Object decimal(int column) throws SQLException {
        Object value = rows.getObject(column);
        if (value == null || value instanceof BigDecimal) {
            return value;
        }
        return value instanceof Number number ? (Object) number.doubleValue() : value.toString();
    }

    private @Nullable Object truth(int column) throws SQLException {
        Object value = rows.getObject(column);
        return value == null || value instanceof Boolean ? value : rows.getString(column);
    }

    /** PostgreSQL reports both kinds of time by one type. */
    private @Nullable Object time(int column) throws SQLException {
        return columns.get(column - 1).typeName().endsWith("tz")
                ? rows.getObject(column, OffsetTime.class)
                : rows.getObject(column, LocalTime.class);
    }

    private @Nullable Object timestamp(int column) throws SQLException {
        return columns.get(column - 1).typeName().endsWith("tz")
                ? rows.getObject(column, OffsetDateTime.class)
                : rows.getObject(column, LocalDateTime.class);
    }

    private @Nullable Object array(int column) throws SQLException {
        java.sql.Array array = rows.getArray(column);
        return array == null ? null : arrayValue(array.getBaseTypeName(), array.getArray());
    }

    static ArrayValue arrayValue(String elementType, Object javaArray) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < Array.getLength(javaArray); i++) {
            elements.add(element(elementType, Array.get(javaArray, i)));
        }
        return new ArrayValue(elementType, elements);
    }

    private static @Nullable Object element(String elementType, @Nullable Object element) {
        if (element == null
                || element instanceof String
                || element instanceof Number
                || element instanceof Boolean
                || element instanceof byte[]
                || element instanceof UUID) {
            return element;
        }
        return element.getClass().isArray()
                ? arrayValue(elementType, element)
                : new OtherValue(elementType, element.toString());
    }

    private @Nullable Object other(int column) throws SQLException {
        String typeName = columns.get(column - 1).typeName();
        if (typeName.equals("uuid")) {
            return rows.getObject(column, UUID.class);
        }
        String text = rows.getString(column);
        return text == null ? null : new OtherValue(typeName, text);
    }

    private static boolean areThose(List<Column> known, ResultSetMetaData data) throws SQLException {
        if (known.size() != data.getColumnCount()) {
            return false;
        }
        for (int i = 1; i <= known.size(); i++) {
            Column column = known.get(i - 1);
            if (!column.label().equals(data.getColumnLabel(i))
                    || column.sqlType() != data.getColumnType(i)
                    || !column.typeName().equals(data.getColumnTypeName(i))
                    || column.precision() != data.getPrecision(i)
                    || column.scale() != data.getScale(i)) {
                return false;
            }
        }
        return true;
    }

    private static List<Column> columns(ResultSetMetaData data) throws SQLException {
        List<Column> columns = new ArrayList<>(data.getColumnCount());
        for (int i = 1; i <= data.getColumnCount(); i++) {
            columns.add(column(data, i));
        }
        return columns;
    }

    /** A column as the client is told. Without what the engine would have to be asked for: base tables, nullability, whether a column counts by itself. */
    static Column column(ResultSetMetaData data, int i) throws SQLException {
        String label = data.getColumnLabel(i);
        return new Column(
                label,
                label,
                data.getColumnType(i),
                data.getColumnTypeName(i),
                data.getColumnClassName(i),
                data.getPrecision(i),
                data.getScale(i),
                data.getColumnDisplaySize(i),
                ResultSetMetaData.columnNullableUnknown,
                data.isSigned(i),
                false,
                data.isCaseSensitive(i));
    }
}
