package io.multimed.protocol.value;

import io.multimed.protocol.wire.ProtocolException;
import org.jspecify.annotations.Nullable;

/** What an engine says of an error beside its message, where it does. */
public enum ErrorField {
    SEVERITY(1),
    /** The message alone, without what the engine's driver puts around it. */
    MESSAGE(2),
    DETAIL(3),
    HINT(4),
    /** Where in the statement, in characters from 1. */
    POSITION(5),
    /** Where in {@link #INTERNAL_QUERY}. */
    INTERNAL_POSITION(6),
    /** The statement that the engine made itself. */
    INTERNAL_QUERY(7),
    /** What called what, innermost first. */
    WHERE(8),
    SCHEMA(9),
    TABLE(10),
    COLUMN(11),
    DATATYPE(12),
    CONSTRAINT(13),
    /** Where in the engine's source. */
    FILE(14),
    LINE(15),
    ROUTINE(16),
    /** The class of java.sql that the engine's own driver threw, without its package, where it chooses one by more than the SQLState. */
    EXCEPTION(17);

    private static final @Nullable ErrorField[] BY_CODE = byCode();

    private final int code;

    ErrorField(int code) {
        this.code = code;
    }

    /** The field's byte on the wire. */
    int code() {
        return code;
    }

    /** @throws ProtocolException if no field has that byte */
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
