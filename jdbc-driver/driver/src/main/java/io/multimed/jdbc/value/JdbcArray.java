// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import io.multimed.protocol.value.TypedNull;
import java.math.BigDecimal;
import java.sql.Array;
import java.sql.Date;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An SQL array that the application has created or that a result contains. The object becomes invalid by {@link #free}.
 */
public final class JdbcArray implements Array {
    private static final Map<Class<?>, String> ELEMENT_TYPES = Map.ofEntries(
            Map.entry(short.class, "int2"),
            Map.entry(Short.class, "int2"),
            Map.entry(int.class, "int4"),
            Map.entry(Integer.class, "int4"),
            Map.entry(long.class, "int8"),
            Map.entry(Long.class, "int8"),
            Map.entry(float.class, "float4"),
            Map.entry(Float.class, "float4"),
            Map.entry(double.class, "float8"),
            Map.entry(Double.class, "float8"),
            Map.entry(boolean.class, "bool"),
            Map.entry(Boolean.class, "bool"),
            Map.entry(String.class, "varchar"),
            Map.entry(byte[].class, "bytea"),
            Map.entry(UUID.class, "uuid"),
            Map.entry(BigDecimal.class, "numeric"),
            Map.entry(Date.class, "date"),
            Map.entry(Time.class, "timetz"),
            Map.entry(Timestamp.class, "timestamptz"));

    private final @Nullable ArrayRows rows;
    private final boolean given;
    private final String typeName;
    private final int type;
    /** Written before {@link #value}, so that no thread takes a freed array for a NULL array. */
    private volatile boolean freed;

    /** Null for a NULL array, and after free. */
    private volatile @Nullable ArrayValue value;

    private JdbcArray(@Nullable ArrayRows rows, boolean given, ArrayValue value) {
        this.rows = rows;
        this.given = given;
        this.typeName = value.elementType();
        this.type = value.sqlType();
        this.value = value;
    }

    /**
     * Creates an array of an application.
     *
     * @param rows makes the array's result sets; null for an array that is only a parameter
     * @param typeName the engine's name of the type of the elements
     * @param array a Java array
     */
    public static JdbcArray of(@Nullable ArrayRows rows, String typeName, Object array) throws SQLException {
        int type = ElementTypes.byEngineName(typeName);
        return new JdbcArray(rows, true, new ArrayValue(typeName, type, ArrayElements.toWire(array, typeName, type)));
    }

    /** Creates a NULL array, which the engine's own driver creates from null elements. */
    public static JdbcArray ofNull(ArrayRows rows, String typeName) {
        int type = ElementTypes.byEngineName(typeName);
        JdbcArray nothing = new JdbcArray(rows, true, new ArrayValue(typeName, type, List.of()));
        nothing.value = null;
        return nothing;
    }

    /** Creates an array that a result contains. */
    public static JdbcArray of(@Nullable ArrayRows rows, ArrayValue value) {
        return new JdbcArray(rows, false, value);
    }

    /**
     * Returns a Java array as a parameter. The class of its elements determines their type.
     *
     * @throws SQLException 07006 if no type belongs to the class
     */
    static Parameter ofJava(Object array) throws SQLException {
        Class<?> component = array.getClass().getComponentType();
        while (component.isArray() && component != byte[].class) {
            component = component.getComponentType();
        }
        String type = ELEMENT_TYPES.get(component);
        if (type == null) {
            throw new SQLException(
                    "Cannot cast an instance of %s to type Types.ARRAY"
                            .formatted(array.getClass().getName()),
                    SqlStates.RESTRICTED_DATA_TYPE);
        }
        return of(null, type, array).toParameter();
    }

    /**
     * Returns the array as a parameter.
     *
     * @throws SQLException 55000 if the array was freed
     */
    Parameter toParameter() throws SQLException {
        return new Parameter(Types.ARRAY, isNull() ? new TypedNull(typeName + "[]") : toWire());
    }

    private boolean isNull() {
        return value == null && !freed;
    }

    private ArrayValue toWire() throws SQLException {
        ArrayValue current = value;
        checkNotFreed();
        return Objects.requireNonNull(current);
    }

    /**
     * Returns some of the elements.
     *
     * @param index of the first element, from 1
     * @param count 0 for all elements
     */
    private List<@Nullable Object> slice(long index, int count) throws SQLException {
        List<@Nullable Object> all = isNull() ? List.of() : toWire().elements();
        if (index < 1) {
            throw new SQLException("The array index is out of range: " + index, SqlStates.DATA_EXCEPTION);
        }
        int wanted = count == 0 ? all.size() : count;
        if (count < 0 || index - 1 + wanted > all.size()) {
            throw new SQLException(
                    "The array index is out of range: %d, number of elements: %d."
                            .formatted(index + wanted, all.size()),
                    SqlStates.DATA_EXCEPTION);
        }
        return all.subList((int) index - 1, (int) index - 1 + wanted);
    }

    private void checkNotFreed() throws SQLException {
        if (freed) {
            throw new SQLException("This array was freed.", SqlStates.OBJECT_NOT_IN_STATE);
        }
    }

    @Override
    public String getBaseTypeName() throws SQLException {
        checkNotFreed();
        return typeName;
    }

    @Override
    public int getBaseType() throws SQLException {
        checkNotFreed();
        return type;
    }

    @Override
    public @Nullable Object getArray() throws SQLException {
        return isNull() ? null : ArrayElements.toJava(toWire());
    }

    @Override
    public @Nullable Object getArray(@Nullable Map<String, Class<?>> map) throws SQLException {
        return getArray();
    }

    @Override
    public @Nullable Object getArray(long index, int count) throws SQLException {
        return isNull() ? null : ArrayElements.toJava(new ArrayValue(typeName, type, slice(index, count)));
    }

    @Override
    public @Nullable Object getArray(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getArray(index, count);
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        return getResultSet(1, 0);
    }

    @Override
    public ResultSet getResultSet(@Nullable Map<String, Class<?>> map) throws SQLException {
        return getResultSet();
    }

    @Override
    public ResultSet getResultSet(long index, int count) throws SQLException {
        List<@Nullable Object[]> indexed = new ArrayList<>();
        long number = index;
        for (Object element : slice(index, count)) {
            indexed.add(new @Nullable Object[] {(int) number++, asRow(element)});
        }
        boolean nested = indexed.stream().anyMatch(row -> row[1] instanceof ArrayValue);
        Column value = nested ? column("VALUE", Types.ARRAY, "_" + typeName) : column("VALUE", type, typeName);
        return Objects.requireNonNull(rows).resultSet(List.of(column("INDEX", Types.INTEGER, "int4"), value), indexed);
    }

    /** Returns an inner array with the text that the engine's own driver writes, which has all elements in quotes. */
    private static @Nullable Object asRow(@Nullable Object element) {
        return element instanceof ArrayValue inner && inner.text() == null
                ? new ArrayValue(
                        inner.elementType(),
                        inner.sqlType(),
                        inner.elements(),
                        TextFormat.array(inner.elements(), true))
                : element;
    }

    @Override
    public ResultSet getResultSet(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getResultSet(index, count);
    }

    private static Column column(String label, int type, String typeName) {
        int nullable = ResultSetMetaData.columnNullableUnknown;
        return new Column(
                label, label, type, typeName, "java.lang.Object", 0, 0, 0, nullable, false, false, true, false);
    }

    @Override
    public void free() {
        freed = true;
        value = null;
    }

    /**
     * Returns the text of the array: that of the engine, for an array of a result. The elements of an array that the
     * application has created are quoted, as by the engine's own driver.
     */
    @Override
    public String toString() {
        ArrayValue current = value;
        if (isNull()) {
            return "NULL";
        } else if (current == null) {
            return "";
        }
        return given ? TextFormat.array(current.elements(), true) : TextFormat.of(current);
    }
}
