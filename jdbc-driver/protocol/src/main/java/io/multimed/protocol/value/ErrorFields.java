// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields that an engine supplied with an error. */
public record ErrorFields(Map<ErrorField, String> values) {
    public static final ErrorFields NONE = new ErrorFields(Map.of());

    /** Returns the value of a field, or null if the engine supplied none. */
    public @Nullable String get(ErrorField field) {
        return values.get(field);
    }

    public void write(WireWriter out) {
        out.writeVarint(values.size());
        values.forEach((field, value) -> {
            out.writeByte(field.code());
            out.writeString(value);
        });
    }

    public static ErrorFields read(WireReader in) {
        int count = in.readVarint();
        if (count == 0) {
            return NONE;
        }
        Map<ErrorField, String> values = new EnumMap<>(ErrorField.class);
        for (int i = 0; i < count; i++) {
            values.put(ErrorField.of(in.readByte()), in.readString());
        }
        return new ErrorFields(values);
    }
}
