package io.multimed.jdbc;

import io.multimed.protocol.ArrayValue;
import io.multimed.protocol.OtherValue;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An SQL array, given by the application or read from a result. */
final class JdbcArray extends RefusingArray {
    private final String typeName;
    private final List<? extends @Nullable Object> elements;

    JdbcArray(String typeName, List<? extends @Nullable Object> elements) {
        this.typeName = typeName;
        this.elements = elements;
    }

    static JdbcArray of(ArrayValue value) {
        return new JdbcArray(value.elementType(), value.elements());
    }

    ArrayValue toWire() throws SQLException {
        return wire(typeName, elements);
    }

    private static ArrayValue wire(String typeName, List<? extends @Nullable Object> elements) throws SQLException {
        List<@Nullable Object> values = new ArrayList<>();
        for (Object element : elements) {
            if (element instanceof Object[] inner) {
                values.add(wire(typeName, java.util.Arrays.asList(inner)));
            } else {
                values.add(Binding.wireValue(element));
            }
        }
        return new ArrayValue(typeName, values);
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
    public Object getArray() {
        return javaArray(elements);
    }

    /** An array of the class that all elements share, as the engine's own driver gives it. */
    private static Object javaArray(List<? extends @Nullable Object> elements) {
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

    private static @Nullable Object plain(@Nullable Object element) {
        return element instanceof OtherValue other ? other.text() : element;
    }

    @Override
    public void free() {
        // Holds nothing but its elements.
    }

    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("{");
        for (Object element : elements) {
            text.append(text.length() == 1 ? "" : ",").append(element == null ? "NULL" : plain(element));
        }
        return text.append('}').toString();
    }
}
