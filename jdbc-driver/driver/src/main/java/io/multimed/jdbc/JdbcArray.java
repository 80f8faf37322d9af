package io.multimed.jdbc;

import io.multimed.protocol.ArrayValue;
import io.multimed.protocol.Column;
import io.multimed.protocol.OtherValue;
import io.multimed.protocol.Parameter;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An SQL array, given by the application or read from a result. */
final class JdbcArray implements Array {
    private static final Map<Class<?>, String> ELEMENT_TYPES = Map.of(
            short.class, "int2",
            int.class, "int4",
            long.class, "int8",
            float.class, "float4",
            double.class, "float8",
            boolean.class, "bool",
            String.class, "varchar",
            byte[].class, "bytea");

    private final @Nullable JdbcConnection connection;
    private final String typeName;
    private @Nullable List<? extends @Nullable Object> elements;

    /** @param connection where it comes from; null for one that is only a parameter or a text */
    JdbcArray(@Nullable JdbcConnection connection, String typeName, List<? extends @Nullable Object> elements) {
        this.connection = connection;
        this.typeName = typeName;
        this.elements = elements;
    }

    static JdbcArray of(@Nullable JdbcConnection connection, ArrayValue value) {
        return new JdbcArray(connection, value.elementType(), value.elements());
    }

    /** A Java array as a parameter, its element type by its class. */
    static Parameter ofJava(Object array) throws SQLException {
        Class<?> component = array.getClass().getComponentType();
        while (component.isArray() && component != byte[].class) {
            component = component.getComponentType();
        }
        String type = ELEMENT_TYPES.get(component);
        if (type == null) {
            throw new SQLException(
                    "Can't infer the SQL type to use for an instance of %s. Use Connection.createArrayOf."
                            .formatted(array.getClass().getName()),
                    SqlStates.WRONG_PARAMETER);
        }
        return new Parameter(Types.ARRAY, new JdbcArray(null, type, boxed(array)).toWire());
    }

    private static List<@Nullable Object> boxed(Object array) {
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < java.lang.reflect.Array.getLength(array); i++) {
            values.add(java.lang.reflect.Array.get(array, i));
        }
        return values;
    }

    private List<? extends @Nullable Object> elements() throws SQLException {
        if (elements == null) {
            throw new SQLException("This array was freed.", SqlStates.OBJECT_CLOSED);
        }
        return elements;
    }

    ArrayValue toWire() throws SQLException {
        return wire(typeName, elements());
    }

    private static ArrayValue wire(String typeName, List<? extends @Nullable Object> elements) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        for (Object element : elements) {
            if (element != null && element.getClass().isArray() && !(element instanceof byte[])) {
                values.add(wire(typeName, boxed(element)));
            } else {
                values.add(element instanceof ArrayValue ? element : Binding.wireValue(element));
            }
        }
        return new ArrayValue(typeName, values);
    }

    private List<? extends @Nullable Object> slice(long index, int count) throws SQLException {
        List<? extends @Nullable Object> all = elements();
        if (index < 1 || count < 0 || index - 1 + count > all.size()) {
            throw new SQLException(
                    "The array index is out of range: %d, number of elements: %d."
                            .formatted(index < 1 ? index : index - 1 + count, all.size()),
                    SqlStates.WRONG_PARAMETER);
        }
        return all.subList((int) index - 1, (int) index - 1 + count);
    }

    @Override
    public String getBaseTypeName() {
        return typeName;
    }

    @Override
    public int getBaseType() {
        return SqlTypes.byEngineName(typeName);
    }

    @Override
    public Object getArray() throws SQLException {
        return javaArray(elements());
    }

    @Override
    public Object getArray(@Nullable Map<String, Class<?>> map) throws SQLException {
        return getArray();
    }

    @Override
    public Object getArray(long index, int count) throws SQLException {
        return javaArray(slice(index, count));
    }

    @Override
    public Object getArray(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getArray(index, count);
    }

    @Override
    public ResultSet getResultSet() throws SQLException {
        return getResultSet(1, elements().size());
    }

    @Override
    public ResultSet getResultSet(@Nullable Map<String, Class<?>> map) throws SQLException {
        return getResultSet();
    }

    @Override
    public ResultSet getResultSet(long index, int count) throws SQLException {
        List<@Nullable Object[]> rows = new ArrayList<>();
        long number = index;
        for (Object element : wire(typeName, slice(index, count)).elements()) {
            rows.add(new @Nullable Object[] {(int) number++, element});
        }
        boolean nested = rows.stream().anyMatch(row -> row[1] instanceof ArrayValue);
        Column value = nested ? column("VALUE", Types.ARRAY, "_" + typeName) : column("VALUE", getBaseType(), typeName);
        return JdbcResultSet.local(
                Objects.requireNonNull(connection), List.of(column("INDEX", Types.INTEGER, "int4"), value), rows);
    }

    @Override
    public ResultSet getResultSet(long index, int count, @Nullable Map<String, Class<?>> map) throws SQLException {
        return getResultSet(index, count);
    }

    private static Column column(String label, int type, String typeName) {
        int nullable = ResultSetMetaData.columnNullableUnknown;
        return new Column(label, label, type, typeName, "java.lang.Object", 0, 0, 0, nullable, false, false, true);
    }

    /** An array of the class that all elements share, as the engine's own driver gives it. */
    private static Object javaArray(List<? extends @Nullable Object> elements) throws SQLException {
        Class<?> shared = null;
        List<@Nullable Object> values = new ArrayList<>();
        for (Object element : elements) {
            Object value = element instanceof ArrayValue inner ? javaArray(inner.elements()) : plain(element);
            values.add(value);
            if (value != null) {
                shared = shared == null || shared == value.getClass() ? value.getClass() : Object.class;
            }
        }
        @Nullable
        Object[] array = (@Nullable Object[])
                java.lang.reflect.Array.newInstance(shared == null ? Object.class : shared, values.size());
        return values.toArray(array);
    }

    private static @Nullable Object plain(@Nullable Object element) throws SQLException {
        if (element instanceof OtherValue other) {
            return other.text();
        }
        return element instanceof Temporal ? Temporals.toObject(element) : element;
    }

    @Override
    public void free() {
        elements = null;
    }

    /** As the engine writes it. */
    @Override
    public String toString() {
        return elements == null ? "" : text(elements);
    }

    private static String text(List<? extends @Nullable Object> elements) {
        StringBuilder text = new StringBuilder("{");
        for (Object element : elements) {
            text.append(text.length() == 1 ? "" : ",");
            if (element instanceof ArrayValue inner) {
                text.append(text(inner.elements()));
            } else {
                text.append(element == null ? "NULL" : quoted(String.valueOf(Values.toText(element))));
            }
        }
        return text.append('}').toString();
    }

    private static String quoted(String element) {
        boolean plain = !element.isEmpty()
                && !element.equalsIgnoreCase("NULL")
                && element.chars().noneMatch(c -> Character.isWhitespace(c) || "{},\"\\".indexOf(c) >= 0);
        return plain ? element : '"' + element.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
}
