// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Parameter;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Returns the types of parameters, from which the engine derives the types of other parameters and of columns. */
public final class ParameterTypes {
    private ParameterTypes() {}

    /**
     * Returns parameters that the engine's own driver binds with the same types, but without texts, bytes and elements.
     *
     * @param parameters null where no value is set
     */
    public static List<Parameter> of(List<? extends @Nullable Parameter> parameters) {
        List<Parameter> types = new ArrayList<>(parameters.size());
        for (Parameter parameter : parameters) {
            types.add(
                    parameter == null
                            ? new Parameter(Types.NULL, null)
                            : new Parameter(parameter.sqlType(), typed(parameter.value())));
        }
        return types;
    }

    private static @Nullable Object typed(@Nullable Object value) {
        if (value instanceof String) {
            return "";
        } else if (value instanceof byte[]) {
            return new byte[0];
        } else if (value instanceof StreamedValue stream) {
            return stream.text() ? "" : new byte[0];
        } else if (value instanceof ArrayValue array) {
            return new ArrayValue(array.elementType(), array.sqlType(), List.of(), "{}");
        }
        return value;
    }
}
