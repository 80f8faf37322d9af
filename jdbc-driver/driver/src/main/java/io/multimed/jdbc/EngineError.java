package io.multimed.jdbc;

import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import java.io.Serializable;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the engine said of an error, field by field: what {@code PSQLException.getServerErrorMessage()} is to the engine's own driver. A field that the engine did not
 * give is null, or 0 if it is a position. Found by {@link MultimedError#of}.
 */
public final class EngineError implements Serializable {
    private static final long serialVersionUID = 1;

    private final String node;
    private final EnumMap<ErrorField, String> values = new EnumMap<>(ErrorField.class);

    public EngineError(String node, ErrorFields fields) {
        this.node = node;
        for (Map.Entry<ErrorField, String> field : fields.values().entrySet()) {
            values.put(field.getKey(), field.getValue());
        }
    }

    private @Nullable String text(ErrorField field) {
        return values.get(field);
    }

    private int number(ErrorField field) {
        String value = values.get(field);
        return value == null ? 0 : Integer.parseInt(value);
    }

    /** The node where it happened; "middleware" if it did not happen in an engine. */
    public String node() {
        return node;
    }

    /** Such as ERROR. */
    public @Nullable String severity() {
        return text(ErrorField.SEVERITY);
    }

    /** The message alone. */
    public @Nullable String message() {
        return text(ErrorField.MESSAGE);
    }

    public @Nullable String detail() {
        return text(ErrorField.DETAIL);
    }

    public @Nullable String hint() {
        return text(ErrorField.HINT);
    }

    /** Where in the statement, in characters from 1; 0 if it is not about a place. */
    public int position() {
        return number(ErrorField.POSITION);
    }

    /** Where in {@link #internalQuery}, in characters from 1. */
    public int internalPosition() {
        return number(ErrorField.INTERNAL_POSITION);
    }

    /** The statement that a function of the engine's ran. */
    public @Nullable String internalQuery() {
        return text(ErrorField.INTERNAL_QUERY);
    }

    /** What called what, innermost first. */
    public @Nullable String where() {
        return text(ErrorField.WHERE);
    }

    public @Nullable String schema() {
        return text(ErrorField.SCHEMA);
    }

    public @Nullable String table() {
        return text(ErrorField.TABLE);
    }

    public @Nullable String column() {
        return text(ErrorField.COLUMN);
    }

    public @Nullable String datatype() {
        return text(ErrorField.DATATYPE);
    }

    public @Nullable String constraint() {
        return text(ErrorField.CONSTRAINT);
    }

    /** Of the engine's source. */
    public @Nullable String file() {
        return text(ErrorField.FILE);
    }

    /** Of the engine's source; 0 if it is not known. */
    public int line() {
        return number(ErrorField.LINE);
    }

    /** Of the engine's source. */
    public @Nullable String routine() {
        return text(ErrorField.ROUTINE);
    }
}
