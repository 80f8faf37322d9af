package io.multimed.middleware.dispatcher;

import io.multimed.protocol.ArrayValue;
import io.multimed.protocol.Column;
import io.multimed.protocol.OtherValue;
import java.math.BigDecimal;
import java.sql.Array;
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
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads the values of an engine's rows in the classes of the protocol, without loss: the client's driver writes the engine's text of them again. */
record ValueReader(ResultSet rows) {
    /** The elements of these types come as an array of Java without loss; those of others are read as rows. */
    private static final Set<Integer> PLAIN_ELEMENTS =
            Set.of(Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.REAL, Types.VARCHAR, Types.CHAR);

    /** @param index of {@code column}, from 1 */
    @Nullable
    Object read(int index, Column column) throws SQLException {
        return read(index, column.sqlType(), column.typeName(), column.currency());
    }

    private @Nullable Object read(int index, int type, String typeName, boolean currency) throws SQLException {
        return switch (type) {
            case Types.INTEGER, Types.SMALLINT, Types.TINYINT -> orNull(rows.getInt(index));
            case Types.BIGINT -> orNull(rows.getLong(index));
            case Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR -> rows.getString(index);
            case Types.NUMERIC, Types.DECIMAL -> decimal(index);
            case Types.BIT, Types.BOOLEAN -> truth(index);
            case Types.REAL -> orNull(rows.getFloat(index));
            case Types.FLOAT, Types.DOUBLE -> currency ? other(index, typeName) : orNull(rows.getDouble(index));
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> rows.getBytes(index);
            case Types.ARRAY -> array(rows.getArray(index));
            default -> rare(index, type, typeName);
        };
    }

    private @Nullable Object rare(int index, int type, String typeName) throws SQLException {
        return switch (type) {
            case Types.DATE -> rows.getObject(index, LocalDate.class);
            case Types.TIME -> time(index, typeName);
            case Types.TIMESTAMP -> timestamp(index, typeName);
            case Types.TIME_WITH_TIMEZONE -> rows.getObject(index, OffsetTime.class);
            case Types.TIMESTAMP_WITH_TIMEZONE -> rows.getObject(index, OffsetDateTime.class);
            default -> other(index, typeName);
        };
    }

    /** One engine's driver reports both kinds of time by one type. */
    private @Nullable Object time(int index, String typeName) throws SQLException {
        return typeName.endsWith("tz")
                ? rows.getObject(index, OffsetTime.class)
                : rows.getObject(index, LocalTime.class);
    }

    private @Nullable Object timestamp(int index, String typeName) throws SQLException {
        return typeName.endsWith("tz")
                ? rows.getObject(index, OffsetDateTime.class)
                : rows.getObject(index, LocalDateTime.class);
    }

    private @Nullable Object orNull(Object value) throws SQLException {
        return rows.wasNull() ? null : value;
    }

    /** NaN and infinities have no BigDecimal. */
    private @Nullable Object decimal(int index) throws SQLException {
        Object value = rows.getObject(index);
        if (value == null || value instanceof BigDecimal) {
            return value;
        }
        return value instanceof Number number ? (Object) number.doubleValue() : value.toString();
    }

    /** A string of bits has the type of a truth, too, and is written in its digits. */
    private @Nullable Object truth(int index) throws SQLException {
        String text = rows.getString(index);
        if (text == null) {
            return null;
        }
        return switch (text) {
            case "t", "true" -> true;
            case "f", "false" -> false;
            default -> text;
        };
    }

    private @Nullable Object other(int index, String typeName) throws SQLException {
        if (typeName.equals("uuid")) {
            return rows.getObject(index, UUID.class);
        }
        String text = rows.getString(index);
        return text == null ? null : new OtherValue(typeName, text);
    }

    static @Nullable ArrayValue array(@Nullable Array array) throws SQLException {
        if (array == null) {
            return null;
        }
        String elementType = array.getBaseTypeName();
        int type = array.getBaseType();
        return PLAIN_ELEMENTS.contains(type)
                ? plain(elementType, type, array.getArray())
                : rows(elementType, type, array);
    }

    private static ArrayValue plain(String elementType, int type, Object javaArray) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < java.lang.reflect.Array.getLength(javaArray); i++) {
            Object element = java.lang.reflect.Array.get(javaArray, i);
            elements.add(element != null && element.getClass().isArray() ? plain(elementType, type, element) : element);
        }
        return new ArrayValue(elementType, type, elements);
    }

    private static ArrayValue rows(String elementType, int type, Array array) throws SQLException {
        List<@Nullable Object> elements = new ArrayList<>();
        try (ResultSet rows = array.getResultSet()) {
            ResultSetMetaData data = rows.getMetaData();
            int value = 2; // as JDBC has it
            ValueReader reader = new ValueReader(rows);
            while (rows.next()) {
                elements.add(reader.read(
                        value, data.getColumnType(value), data.getColumnTypeName(value), data.isCurrency(value)));
            }
        }
        return new ArrayValue(elementType, type, elements);
    }
}
