package io.multimed.server.propagation.freshness;

import io.multimed.engine.sql.ReadFootprint.Operand;
import io.multimed.engine.sql.TableNames.Exactness;
import java.math.BigInteger;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a statement reads under one schema: the shapes of its tables. Together with parameters, a scope becomes the
 * {@link Dependencies} of one result. Immutable.
 */
public final class ReadScope {
    private final SchemaStamps schema;
    private final List<Part> parts;

    /**
     * A shape, and the value of its key column.
     *
     * @param value null if the shape has no key
     */
    record Part(
            ReadShape shape, Exactness exactness, @Nullable Operand value) {}

    /** The parameters of an execution. */
    public interface Parameters {
        /** Returns a value as the client sent it. */
        @Nullable
        Object value(int index);

        /** Returns a constant of {@link java.sql.Types}. */
        int sqlType(int index);
    }

    ReadScope(SchemaStamps schema, List<Part> parts) {
        this.schema = schema;
        this.parts = List.copyOf(parts);
    }

    SchemaStamps schema() {
        return schema;
    }

    /** Returns what the result of an execution depends on. */
    public Dependencies dependencies(Parameters parameters) {
        ReadShape[] shapes = new ReadShape[parts.size()];
        int[] slots = new int[shapes.length];
        for (int i = 0; i < shapes.length; i++) {
            Part part = parts.get(i);
            String key = part.value == null ? null : text(part.value, part.exactness, parameters);
            shapes[i] = part.shape;
            slots[i] = key == null ? ReadShape.ANY : ReadShape.slot(key);
        }
        return new Dependencies(schema, shapes, slots);
    }

    /**
     * Returns a value as captured rows contain it; null if equal values could have other texts. An engine may compare
     * an integer with a string as numbers, and a string of the type CHAR without the blanks at its end.
     */
    private static @Nullable String text(Operand operand, Exactness exactness, Parameters parameters) {
        if (operand instanceof Operand.IntegerLiteral number) {
            return exactness == Exactness.INTEGER ? number.digits() : null;
        }
        if (operand instanceof Operand.StringLiteral text) {
            return exactness == Exactness.TEXT ? text.content() : null;
        }
        int index = ((Operand.Parameter) operand).index();
        Object value = parameters.value(index);
        return switch (exactness) {
            case INTEGER ->
                value instanceof Integer
                                || value instanceof Long
                                || value instanceof Short
                                || value instanceof BigInteger
                        ? value.toString()
                        : null;
            case TEXT -> value instanceof String text && parameters.sqlType(index) == Types.VARCHAR ? text : null;
            case NONE -> null;
        };
    }
}
