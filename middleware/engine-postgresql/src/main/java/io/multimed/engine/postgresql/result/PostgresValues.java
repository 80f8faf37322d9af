// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.result;

import io.multimed.engine.dialect.EngineValues;
import io.multimed.engine.postgresql.connection.PostgresZones;
import io.multimed.engine.postgresql.sql.TimeConstants;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.OtherValue;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.CallableStatement;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.sql.Types;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGResultSetMetaData;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Field;
import org.postgresql.jdbc.PgResultSet;

/**
 * Converts values of pgjdbc to the classes of the protocol, without loss: the client's driver restores the engine's
 * text from them. Values of other types are transferred as the engine's text, with the name of the type.
 */
public final class PostgresValues implements EngineValues {
    /**
     * JDBC types whose elements pgjdbc returns in a Java array without loss. Elements of other types are read through
     * the array's result set.
     */
    private static final Set<Integer> PLAIN_ELEMENTS =
            Set.of(Types.SMALLINT, Types.INTEGER, Types.BIGINT, Types.REAL, Types.VARCHAR, Types.CHAR);

    /** The prepare threshold that makes pgjdbc use the binary format from the first execution on. */
    private static final int FORCE_BINARY = -1;

    @Override
    public @Nullable Object read(ResultSet rows, int index, Column column) throws SQLException {
        return read(rows, index, column.sqlType(), column.typeName(), column.currency());
    }

    /** Asks the driver for the type alone: for the name of the column's type, the driver reads the engine's catalog. */
    @Override
    public String typeName(ResultSet rows, ResultSetMetaData columns, int index) throws SQLException {
        return typeName(rows, index);
    }

    private static String typeName(ResultSet rows, int index) throws SQLException {
        PgResultSet driver = rows.unwrap(PgResultSet.class);
        BaseConnection connection = driver.getStatement().getConnection().unwrap(BaseConnection.class);
        return String.valueOf(connection.getTypeInfo().getPGType(driver.getColumnOID(index)));
    }

    /** Returns the driver's own bytes: pgjdbc's connections use UTF-8, and the engine sends a text as it is. */
    @Override
    public byte @Nullable [] utf8(ResultSet rows, int index) throws SQLException {
        return rows.getBytes(index);
    }

    @Override
    public Temporal moment(CallableStatement executed, int ordinal, Date value, boolean sameZone) throws SQLException {
        return PostgresOutMoments.of(executed, ordinal, value, sameZone);
    }

    /**
     * Requests the binary format from the first row on: in text format each byte of a bytea takes two characters, and
     * while the driver fetches a row it still holds the preceding one. Costs a round trip if the engine has not
     * described the statement yet.
     */
    @Override
    public void stream(Statement statement, String sql, int fetchSize) throws SQLException {
        statement.setFetchSize(fetchSize);
        if (!TimeConstants.mayBeIn(sql)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(FORCE_BINARY);
        }
    }

    /** Lets the engine parse a statement with a constant for the present time at each execution. */
    @Override
    public void prepared(PreparedStatement statement, String sql) throws SQLException {
        if (TimeConstants.mayBeIn(sql)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
        }
    }

    /** Converts arrays and XML. Any other object becomes its text, without a type. */
    @Override
    public Object toProtocol(Object value) throws SQLException {
        if (value instanceof Array array) {
            return array(array);
        }
        return value instanceof SQLXML xml
                ? new OtherValue("xml", xml.getString())
                : new OtherValue("", value.toString());
    }

    /**
     * Reads a value by the JDBC type that pgjdbc reports; {@code currency} distinguishes money from double precision.
     */
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
            case Types.TIME_WITH_TIMEZONE -> PostgresZonedTimes.read(rows, index);
            case Types.TIMESTAMP_WITH_TIMEZONE -> moment(rows, index);
            default -> other(rows, index, typeName);
        };
    }

    /** Reads time or timetz: pgjdbc reports the same JDBC type for both. */
    private static @Nullable Object time(ResultSet rows, int index, String typeName) throws SQLException {
        return typeName.endsWith("tz") ? PostgresZonedTimes.read(rows, index) : rows.getObject(index, LocalTime.class);
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

    /** Replaces the default value of a primitive getter by null if the column was NULL. */
    private static @Nullable Object orNull(ResultSet rows, Object value) throws SQLException {
        return rows.wasNull() ? null : value;
    }

    /** Reads a numeric; NaN and infinities, which BigDecimal cannot represent, become a Double. */
    private static @Nullable Object decimal(ResultSet rows, int index) throws SQLException {
        Object value = rows.getObject(index);
        if (value == null || value instanceof BigDecimal) {
            return value;
        }
        return value instanceof Number number ? (Object) number.doubleValue() : value.toString();
    }

    /**
     * Reads a boolean, or a bit string, for which pgjdbc reports the same JDBC type and which is returned as its
     * digits.
     */
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

    /** Reads a uuid, or any other value as the engine's text. */
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

    /** Adds the engine's text, which the driver keeps: the engine sends all arrays as text. */
    private static ArrayValue array(Array array) throws SQLException {
        String elementType = array.getBaseTypeName();
        int type = array.getBaseType();
        ArrayValue elements = PLAIN_ELEMENTS.contains(type)
                ? plain(elementType, type, array.getArray())
                : rows(elementType, type, array);
        return new ArrayValue(elementType, type, elements.elements(), array.toString());
    }

    /** Converts a Java array, with nested arrays for further dimensions. */
    private static ArrayValue plain(String elementType, int type, Object javaArray) {
        List<@Nullable Object> elements = new ArrayList<>();
        for (int i = 0; i < java.lang.reflect.Array.getLength(javaArray); i++) {
            Object element = java.lang.reflect.Array.get(javaArray, i);
            elements.add(element != null && element.getClass().isArray() ? plain(elementType, type, element) : element);
        }
        return new ArrayValue(elementType, type, elements);
    }

    /** Converts an array element by element, by the types that its result set reports. */
    private static ArrayValue rows(String elementType, int type, Array array) throws SQLException {
        List<@Nullable Object> elements = new ArrayList<>();
        try (ResultSet rows = array.getResultSet()) {
            ResultSetMetaData data = rows.getMetaData();
            int value = 2; // JDBC returns the index in column 1 and the element in column 2
            while (rows.next()) {
                elements.add(
                        read(rows, value, data.getColumnType(value), typeName(rows, value), data.isCurrency(value)));
            }
        }
        return new ArrayValue(elementType, type, elements);
    }
}
