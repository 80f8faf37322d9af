// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import io.multimed.jdbc.support.SqlErrors;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.ArrayValue;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.OtherValue;
import java.sql.Array;
import java.sql.Blob;
import java.sql.NClob;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Types;
import java.time.temporal.Temporal;
import org.jspecify.annotations.Nullable;

/**
 * Converts values of the protocol into objects of JDBC: large values, arrays, and the objects that getObject returns.
 */
public final class ObjectConversion {
    private ObjectConversion() {}

    /**
     * Returns a binary value. Large objects of an engine, to which a number refers, belong to the engine's own session.
     */
    public static @Nullable Blob toBlob(@Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return new JdbcBlob(bytes);
        }
        throw noLargeObject(value, "Blob", "bytea");
    }

    public static @Nullable NClob toClob(@Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            return new JdbcClob(text);
        }
        throw noLargeObject(value, "Clob", "text");
    }

    /** Returns the exception for a value that is not of this kind. A number may be that of a large object. */
    private static SQLException noLargeObject(Object value, String kind, String instead) throws SQLException {
        NumberConversion.toLong(value, Long.MIN_VALUE, Long.MAX_VALUE, "long");
        return SqlErrors.unsupported(
                "ResultSet.get%s of a large object (use a column of type %s)".formatted(kind, instead));
    }

    public static @Nullable Array toArray(@Nullable Object value, @Nullable ArrayRows maker) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof ArrayValue array) {
            return JdbcArray.of(maker, array);
        }
        throw new SQLDataException("The column is not an array.", SqlStates.NO_DATA);
    }

    /**
     * Returns an object of the class that the engine's own driver returns. If the class is part of that driver and not
     * of JDBC, returns the text.
     */
    public static @Nullable Object toObject(@Nullable Object value, Column column, int limit, @Nullable ArrayRows maker)
            throws SQLException {
        if (value instanceof Short number) {
            return number.intValue();
        } else if (value instanceof OtherValue other) {
            return other(other, column);
        } else if (value instanceof ArrayValue array) {
            return JdbcArray.of(maker, array);
        } else if (value instanceof String text) {
            return column.sqlType() == Types.BIT && text.length() == 1
                    ? (Object) BasicConversion.toBoolean(text)
                    : BasicConversion.toText(text, column, limit);
        } else if (value instanceof byte[]) {
            return BasicConversion.toBytes(value, column, limit);
        }
        return value instanceof Temporal ? DateTimeConversion.toObject(value) : value;
    }

    /** Returns the object for a value of which the protocol has the text only. */
    private static Object other(OtherValue value, Column column) throws SQLException {
        return switch (column.sqlType()) {
            case Types.SQLXML -> new JdbcSqlXml(value.text());
            case Types.DOUBLE -> NumberConversion.toDouble(value);
            default -> value.text();
        };
    }
}
