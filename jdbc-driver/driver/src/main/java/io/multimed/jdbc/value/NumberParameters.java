// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.sql.Types;

/** Creates parameters for numbers: the class of a number determines its SQL type. */
final class NumberParameters {
    private NumberParameters() {}

    /** Returns the parameter for a number. A number of any other class is sent as a decimal number. */
    static Parameter of(Number value) {
        if (value instanceof Integer) {
            return new Parameter(Types.INTEGER, value);
        } else if (value instanceof Long) {
            return new Parameter(Types.BIGINT, value);
        } else if (value instanceof BigDecimal) {
            return new Parameter(Types.NUMERIC, value);
        } else if (value instanceof Double) {
            return new Parameter(Types.DOUBLE, value);
        } else if (value instanceof Float) {
            return new Parameter(Types.REAL, value);
        } else if (value instanceof Short || value instanceof Byte) {
            return new Parameter(Types.SMALLINT, value.shortValue());
        }
        return new Parameter(Types.NUMERIC, new BigDecimal(value.toString()));
    }
}
