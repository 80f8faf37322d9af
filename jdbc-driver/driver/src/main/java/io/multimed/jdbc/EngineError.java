// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc;

import io.multimed.protocol.value.ErrorField;
import io.multimed.protocol.value.ErrorFields;
import java.io.Serializable;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Holds the fields of an error that an engine has reported. Corresponds to {@code
 * PSQLException.getServerErrorMessage()} of an engine's own driver. A field that the engine has not set is null, or 0
 * if the field is a position. Obtained by {@link MultimedError#of}.
 */
public final class EngineError implements Serializable {
    private static final long serialVersionUID = 1;

    private final String node;
    private final EnumMap<ErrorField, String> values = new EnumMap<>(ErrorField.class);

    /** Creates the fields of an error; called by the driver. */
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

    /** Returns the node that reported the error; "middleware" if no engine reported the error. */
    public String node() {
        return node;
    }

    /** Returns the severity, such as ERROR. */
    public @Nullable String severity() {
        return text(ErrorField.SEVERITY);
    }

    /** Returns the message alone, without detail and position. */
    public @Nullable String message() {
        return text(ErrorField.MESSAGE);
    }

    /** Returns the detail, a second message with more information. */
    public @Nullable String detail() {
        return text(ErrorField.DETAIL);
    }

    /** Returns the hint, a suggestion for the solution of the problem. */
    public @Nullable String hint() {
        return text(ErrorField.HINT);
    }

    /** Returns the position in the statement, in characters from 1; 0 if the error has no position. */
    public int position() {
        return number(ErrorField.POSITION);
    }

    /** Returns the position in {@link #internalQuery}, in characters from 1; 0 if the error has no such position. */
    public int internalPosition() {
        return number(ErrorField.INTERNAL_POSITION);
    }

    /** Returns the statement that failed inside a function, if the error happened there. */
    public @Nullable String internalQuery() {
        return text(ErrorField.INTERNAL_QUERY);
    }

    /** Returns the call stack of functions, innermost first. */
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

    /** Returns the data type that the error is about. */
    public @Nullable String datatype() {
        return text(ErrorField.DATATYPE);
    }

    /** Returns the constraint that was violated. */
    public @Nullable String constraint() {
        return text(ErrorField.CONSTRAINT);
    }

    /** Returns the file of the engine's source code that reported the error. */
    public @Nullable String file() {
        return text(ErrorField.FILE);
    }

    /**
     * Returns the line of the engine's source code that reported the error; 0 if the engine has not reported a line.
     */
    public int line() {
        return number(ErrorField.LINE);
    }

    /** Returns the routine of the engine's source code that reported the error. */
    public @Nullable String routine() {
        return text(ErrorField.ROUTINE);
    }
}
