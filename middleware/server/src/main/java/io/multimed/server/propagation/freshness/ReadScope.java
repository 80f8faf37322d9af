// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.sql.ReadFootprint.Operand;
import io.multimed.engine.sql.TableNames.Exactness;
import java.sql.Types;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a statement reads under one schema: the shapes of its tables. Together with parameters, a scope becomes the
 * {@link Dependencies} of one result. Immutable.
 */
public final class ReadScope {
    private final SchemaVersion schema;
    private final List<Part> parts;
    private final boolean known;

    /**
     * A shape, and the value of its key column.
     *
     * @param value null if the shape has no key
     * @param text describes the table, the columns and the key for users
     */
    record Part(
            ReadShape shape, Exactness exactness, @Nullable Operand value, String text) {}

    /** The parameters of an execution. */
    public interface Parameters {
        /** Returns a value as the client sent it. */
        @Nullable
        Object value(int index);

        /** Returns a constant of {@link java.sql.Types}. */
        int sqlType(int index);
    }

    private ReadScope(SchemaVersion schema, List<Part> parts, boolean known) {
        this.schema = schema;
        this.parts = List.copyOf(parts);
        this.known = known;
    }

    static ReadScope of(SchemaVersion schema, List<Part> parts) {
        return new ReadScope(schema, parts, true);
    }

    /** Returns the scope of a statement of which it is not known what it reads under this schema. */
    static ReadScope unknown(SchemaVersion schema) {
        return new ReadScope(schema, List.of(), false);
    }

    /** Returns whether it is known what the statement reads; otherwise no result of it can be kept. */
    public boolean isKnown() {
        return known;
    }

    /** Returns the parts of tables on which results depend, for users. */
    public List<String> describe() {
        return parts.stream().map(Part::text).distinct().toList();
    }

    SchemaVersion schema() {
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

    /** Returns whether a driver sends an integer of this type as it is. */
    private static boolean fits(long value, int sqlType) {
        return switch (sqlType) {
            case Types.TINYINT -> value == (byte) value;
            case Types.SMALLINT -> value == (short) value;
            case Types.INTEGER -> value == (int) value;
            case Types.BIGINT -> true;
            default -> false;
        };
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
                value instanceof Number number
                                && (value instanceof Integer || value instanceof Long || value instanceof Short)
                                && fits(number.longValue(), parameters.sqlType(index))
                        ? value.toString()
                        : null;
            case TEXT -> value instanceof String text && parameters.sqlType(index) == Types.VARCHAR ? text : null;
            case NONE -> null;
        };
    }
}
