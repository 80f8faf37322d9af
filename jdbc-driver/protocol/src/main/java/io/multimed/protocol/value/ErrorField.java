// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/** Fields of an engine's error besides SQLState and code. The codes are part of the protocol. */
public enum ErrorField {
    SEVERITY(1),
    /** The message alone, without additions by the engine's driver. */
    MESSAGE(2),
    DETAIL(3),
    HINT(4),
    /** Position of the error in the statement, in characters from 1. */
    POSITION(5),
    /** Position of the error in {@link #INTERNAL_QUERY}. */
    INTERNAL_POSITION(6),
    /** A statement that the engine generated. */
    INTERNAL_QUERY(7),
    /** The call stack of functions, innermost first. */
    WHERE(8),
    SCHEMA(9),
    TABLE(10),
    COLUMN(11),
    DATATYPE(12),
    CONSTRAINT(13),
    /** Location in the engine's source code. */
    FILE(14),
    LINE(15),
    ROUTINE(16),
    /**
     * Name, without package, of the java.sql class that the engine's driver threw, if the driver selects the class by
     * more than the SQLState.
     */
    EXCEPTION(17);

    private static final @Nullable ErrorField[] BY_CODE = byCode();

    private final int code;

    ErrorField(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }

    /**
     * Returns the field with this code.
     *
     * @throws ProtocolException if no field has the code
     */
    static ErrorField of(int code) {
        ErrorField field = code > 0 && code < BY_CODE.length ? BY_CODE[code] : null;
        if (field == null) {
            throw new ProtocolException("unknown error field " + code);
        }
        return field;
    }

    private static @Nullable ErrorField[] byCode() {
        @Nullable ErrorField[] table = new ErrorField[values().length + 1];
        for (ErrorField field : values()) {
            table[field.code] = field;
        }
        return table;
    }
}
