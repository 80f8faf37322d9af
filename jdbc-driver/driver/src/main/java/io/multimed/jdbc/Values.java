package io.multimed.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

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
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for of values of the protocol: texts, truths, bytes, large values and objects (see {@link Numbers}, {@link Temporals} and {@link ObjectClasses} for the
 * rest). Null stays null, or becomes false.
 */
final class Values {
    /** The types to which setMaxFieldSize applies. */
    private static final Set<Integer> LIMITED =
            Set.of(Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY);

    private Values() {}

    /** @param limit of the statement's setMaxFieldSize, in characters; 0 for none */
    static @Nullable String toText(@Nullable Object value, Column column, int limit) {
        if (value == null) {
            return null;
        }
        String text = Texts.of(value);
        return isLonger(text.length(), column, limit) ? text.substring(0, limit) : text;
    }

    /** @param limit as for texts, in bytes */
    static byte @Nullable [] toBytes(@Nullable Object value, Column column, int limit) {
        byte[] bytes = value == null ? null : toBytes(value);
        return bytes != null && isLonger(bytes.length, column, limit) ? Arrays.copyOf(bytes, limit) : bytes;
    }

    private static boolean isLonger(int length, Column column, int limit) {
        return limit > 0 && length > limit && LIMITED.contains(column.sqlType());
    }

    /** Of everything but bytes, the bytes of its text. */
    static byte[] toBytes(Object value) {
        return value instanceof byte[] bytes ? bytes : Texts.of(value).getBytes(UTF_8);
    }

    static boolean toBoolean(@Nullable Object value) throws SQLException {
        if (value == null) {
            return false;
        }
        if (value instanceof Boolean truth) {
            return truth;
        }
        String text = Texts.of(value);
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "t", "true", "y", "yes", "on", "1" -> true;
            case "f", "false", "n", "no", "off", "0" -> false;
            default ->
                throw new SQLDataException("Cannot cast to boolean: \"%s\"".formatted(text), SqlStates.CANNOT_CAST);
        };
    }

    /** Large objects, which a column of numbers may refer to, live in the engine's own session. */
    static @Nullable Blob toBlob(@Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof byte[] bytes) {
            return new JdbcBlob(bytes);
        }
        throw noLargeObject(value, "Blob", "bytea");
    }

    static @Nullable NClob toClob(@Nullable Object value) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof String text) {
            return new JdbcClob(text);
        }
        throw noLargeObject(value, "Clob", "text");
    }

    /** A number may be that of a large object. */
    private static SQLException noLargeObject(Object value, String kind, String instead) throws SQLException {
        Numbers.whole(value, Long.MIN_VALUE, Long.MAX_VALUE, "long");
        return Failures.unsupported(
                "ResultSet.get%s of a large object (use a column of type %s)".formatted(kind, instead));
    }

    static @Nullable Array toArray(@Nullable Object value, @Nullable JdbcConnection connection) throws SQLException {
        if (value == null) {
            return null;
        }
        if (value instanceof ArrayValue array) {
            return JdbcArray.of(connection, array);
        }
        throw new SQLDataException("The column is not an array.", SqlStates.NO_DATA);
    }

    /** The class that the engine's own driver gives; of types that only that driver has a class for, the text. */
    static @Nullable Object toObject(
            @Nullable Object value, Column column, int limit, @Nullable JdbcConnection connection) throws SQLException {
        if (value instanceof Short number) {
            return number.intValue();
        } else if (value instanceof OtherValue other) {
            return other(other, column);
        } else if (value instanceof ArrayValue array) {
            return JdbcArray.of(connection, array);
        } else if (value instanceof String text) {
            return column.sqlType() == Types.BIT && text.length() == 1
                    ? (Object) toBoolean(text)
                    : toText(text, column, limit);
        } else if (value instanceof byte[]) {
            return toBytes(value, column, limit);
        }
        return value instanceof Temporal ? Temporals.toObject(value) : value;
    }

    private static Object other(OtherValue value, Column column) throws SQLException {
        return switch (column.sqlType()) {
            case Types.SQLXML -> new JdbcSqlXml(value.text());
            case Types.DOUBLE -> Numbers.toDouble(value);
            default -> value.text();
        };
    }
}
