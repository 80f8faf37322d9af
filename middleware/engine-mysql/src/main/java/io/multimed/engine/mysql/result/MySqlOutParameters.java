// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.engine.dialect.EngineValues.OutParameter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.CallableStatement;
import java.sql.Date;
import java.sql.SQLException;
import java.sql.Time;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.LocalDateTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads OUT parameters. Connector/J receives them as user variables, whose types are integer, decimal, floating-point
 * number, text and bytes; the value of a function has the type of the function. Dates, times and floating-point numbers
 * are read as the engine's texts, as in columns.
 */
final class MySqlOutParameters {
    private MySqlOutParameters() {}

    /** Reads a parameter, regardless of its registered type. */
    static OutParameter read(CallableStatement executed, int index) throws SQLException {
        byte[] sent = executed.getBytes(index);
        if (sent == null) {
            return new OutParameter(null, Types.VARCHAR, "VARCHAR");
        }
        Object value = object(executed, index);
        if (value instanceof byte[]) {
            return new OutParameter(sent, Types.VARBINARY, "VARBINARY");
        } else if (value instanceof Boolean truth) {
            return new OutParameter(truth ? 1 : 0, Types.BIT, "BIT");
        } else if (value instanceof Number number) {
            return number(number, sent);
        }
        return text(value, new String(sent, UTF_8));
    }

    /** Returns a text, with the type of the value of a function: only such values are objects of dates and times. */
    private static OutParameter text(@Nullable Object value, String sent) {
        if (value instanceof Date) {
            return new OutParameter(sent, Types.DATE, "DATE");
        } else if (value instanceof Time) {
            return new OutParameter(sent, Types.TIME, "TIME");
        } else if (value instanceof Timestamp) {
            return new OutParameter(sent, Types.TIMESTAMP, "TIMESTAMP");
        }
        return value instanceof LocalDateTime
                ? new OutParameter(sent, Types.TIMESTAMP, "DATETIME")
                : new OutParameter(sent, Types.VARCHAR, "VARCHAR");
    }

    private static OutParameter number(Number number, byte[] sent) {
        if (number instanceof BigInteger large) {
            Object fitting = large.bitLength() < Long.SIZE ? large.longValue() : new BigDecimal(large);
            return new OutParameter(fitting, Types.BIGINT, "BIGINT UNSIGNED");
        } else if (number instanceof BigDecimal decimal) {
            return new OutParameter(decimal, Types.DECIMAL, "DECIMAL");
        } else if (number instanceof Double || number instanceof Float) {
            return new OutParameter(new String(sent, UTF_8), Types.DOUBLE, "DOUBLE");
        }
        return new OutParameter(number.longValue(), Types.BIGINT, "BIGINT");
    }

    /**
     * Returns the driver's object for the type of the variable: unlike the method without a map, this one ignores the
     * registered type. Returns null for a value that the driver cannot represent, such as a duration.
     */
    private static @Nullable Object object(CallableStatement executed, int index) {
        try {
            return executed.getObject(index, Map.of());
        } catch (SQLException e) {
            return null;
        }
    }
}
