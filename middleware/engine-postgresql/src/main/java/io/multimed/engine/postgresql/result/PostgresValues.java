package io.multimed.engine.postgresql.result;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.postgresql.connection.PostgresZones;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.OtherValue;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.ZoneOffset;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.PGStatement;
import org.postgresql.core.Field;

/** Reads the values of an engine's rows in the classes of the protocol, without loss: the client's driver writes the engine's text of them again. */
public final class PostgresValues implements EngineValues {
    /** The elements of these types come as an array of Java without loss; those of others are read as rows. */
    private static final Set<Integer> PLAIN_ELEMENTS =
            Set.of(Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.REAL, Types.VARCHAR, Types.CHAR);

    /** The driver's word for it. */
    private static final int FORCE_BINARY = -1;

    @Override
    public @Nullable Object read(ResultSet rows, int index, Column column) throws SQLException {
        return read(rows, index, column.sqlType(), column.typeName(), column.currency());
    }

    /** The driver's own array: PostgreSQL's connections speak UTF-8, and texts come as they are. */
    @Override
    public byte @Nullable [] utf8(ResultSet rows, int index) throws SQLException {
        return rows.getBytes(index);
    }

    /** Asks the engine for the type: costs a round trip. */
    @Override
    public Temporal timestamp(CallableStatement executed, int ordinal, Timestamp value) throws SQLException {
        boolean isMoment = executed.getMetaData().getColumnTypeName(ordinal).equals("timestamptz");
        return isMoment ? value.toInstant().atOffset(ZoneOffset.UTC) : PostgresZones.unshifted(value);
    }

    /** The binary form from the first row on: bytes take two characters each as text, and while a row is fetched the driver holds the one before. Costs a round trip where the engine has not described the statement. */
    @Override
    public void stream(Statement statement, String sql, int fetchSize) throws SQLException {
        statement.setFetchSize(fetchSize);
        statement.unwrap(PGStatement.class).setPrepareThreshold(FORCE_BINARY);
    }

    @Override
    public Object toProtocol(Object value) throws SQLException {
        if (value instanceof Array array) {
            return array(array);
        }
        return value instanceof SQLXML xml
                ? new OtherValue("xml", xml.getString())
                : new OtherValue("", value.toString());
    }

    private static @Nullable Object read(ResultSet rows, int index, int type, String typeName, boolean currency)
            throws SQLException {
        return switch (type) {
            case Types.INTEGER, Types.SMALLINT, Types.TINYINT -> orNull(rows, rows.getInt(index));
            case Types.BIGINT -> orNull(rows, rows.getLong(index));
            case Types.VARCHAR, Types.CHAR, Types.LONGVARCHAR -> rows.getString(index);
            case Types.NUMERIC, Types.DECIMAL -> decimal(rows, index);
            case Types.BIT, Types.BOOLEAN -> truth(rows, index);
            case Types.REAL -> orNull(rows, rows.getFloat(index));
            case Types.FLOAT, Types.DOUBLE ->
                currency ? other(rows, index, typeName) : orNull(rows, rows.getDouble(index));
            case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY -> rows.getBytes(index);
            case Types.ARRAY -> arrayOrNull(rows.getArray(index));
            default -> rare(rows, index, type, typeName);
        };
    }

    private static @Nullable Object rare(ResultSet rows, int index, int type, String typeName) throws SQLException {
        return switch (type) {
            case Types.DATE -> rows.getObject(index, LocalDate.class);
            case Types.TIME -> time(rows, index, typeName);
            case Types.TIMESTAMP -> timestamp(rows, index, typeName);
            case Types.TIME_WITH_TIMEZONE -> rows.getObject(index, OffsetTime.class);
            case Types.TIMESTAMP_WITH_TIMEZONE -> moment(rows, index);
            default -> other(rows, index, typeName);
        };
    }

    /** pgjdbc reports both kinds of time by one type. */
    private static @Nullable Object time(ResultSet rows, int index, String typeName) throws SQLException {
        return typeName.endsWith("tz")
                ? rows.getObject(index, OffsetTime.class)
                : rows.getObject(index, LocalTime.class);
    }

    private static @Nullable Object timestamp(ResultSet rows, int index, String typeName) throws SQLException {
        return typeName.endsWith("tz") ? moment(rows, index) : rows.getObject(index, LocalDateTime.class);
    }

    /**
     * Converts a timestamptz to the session's zone. Uses the offset in the engine's text, if it has written one;
     * otherwise Java's rules for the zone, which may be of another version.
     */
    private static @Nullable OffsetDateTime moment(ResultSet rows, int index) throws SQLException {
        OffsetDateTime moment = rows.getObject(index, OffsetDateTime.class);
        if (moment == null) {
            return null;
        }
        boolean text = rows.getMetaData().unwrap(PGResultSetMetaData.class).getFormat(index) == Field.TEXT_FORMAT;
        return text
                ? PostgresZones.asWritten(rows.getString(index), moment)
                : PostgresZones.local(rows.getStatement().getConnection(), moment);
    }

    private static @Nullable Object orNull(ResultSet rows, Object value) throws SQLException {
        return rows.wasNull() ? null : value;
    }

    /** NaN and infinities have no BigDecimal. */
    private static @Nullable Object decimal(ResultSet rows, int index) throws SQLException {
        Object value = rows.getObject(index);
        if (value == null || value instanceof BigDecimal) {
            return value;
        }
        return value instanceof Number number ? (Object) number.doubleValue() : value.toString();
    }

    /** A string of bits has the type of a truth, too, and is written in its digits. */
    private static @Nullable Object truth(ResultSet rows, int index) throws SQLException {
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

    private static @Nullable Object other(ResultSet rows, int index, String typeName) throws SQLException {
        if (typeName.equals("uuid")) {
            return rows.getObject(index, UUID.class);
        }
        String text = rows.getString(index);
        return text == null ? null : new OtherValue(typeName, text);
    }

    private static @Nullable ArrayValue arrayOrNull(@Nullable Array array) throws SQLException {
        return array == null ? null : array(array);
    }

    private static ArrayValue array(Array array) throws SQLException {
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
            while (rows.next()) {
                elements.add(read(
                        rows, value, data.getColumnType(value), data.getColumnTypeName(value), data.isCurrency(value)));
            }
        }
        return new ArrayValue(elementType, type, elements);
    }
}
