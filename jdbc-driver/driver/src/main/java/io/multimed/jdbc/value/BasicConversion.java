// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.value;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Column;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Converts values of the protocol into texts, bytes and booleans. Null remains null, or becomes false. */
public final class BasicConversion {
    /** The types to which setMaxFieldSize applies. */
    private static final Set<Integer> LIMITED =
            Set.of(Types.CHAR, Types.VARCHAR, Types.LONGVARCHAR, Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY);

    private BasicConversion() {}

    /**
     * Returns a text.
     *
     * @param limit of the statement's setMaxFieldSize, in characters; 0 for none
     */
    public static @Nullable String toText(@Nullable Object value, Column column, int limit) {
        if (value == null) {
            return null;
        }
        String text = TextFormat.of(value);
        return isLonger(text.length(), column, limit) ? text.substring(0, limit) : text;
    }

    /**
     * Returns bytes.
     *
     * @param limit of the statement's setMaxFieldSize, in bytes; 0 for none
     */
    public static byte @Nullable [] toBytes(@Nullable Object value, Column column, int limit) {
        byte[] bytes = value == null ? null : toBytes(value);
        return bytes != null && isLonger(bytes.length, column, limit) ? Arrays.copyOf(bytes, limit) : bytes;
    }

    private static boolean isLonger(int length, Column column, int limit) {
        return limit > 0 && length > limit && LIMITED.contains(column.sqlType());
    }

    /** Returns bytes: the value itself, or its text in UTF-8. */
    public static byte[] toBytes(Object value) {
        return value instanceof byte[] bytes ? bytes : TextFormat.of(value).getBytes(UTF_8);
    }

    /**
     * Returns a boolean. Accepts the words and numbers that the engine accepts.
     *
     * @throws SQLException 42846 if the value is none of these words and numbers
     */
    public static boolean toBoolean(@Nullable Object value) throws SQLException {
        if (value == null) {
            return false;
        }
        if (value instanceof Boolean truth) {
            return truth;
        }
        String text = TextFormat.of(value);
        return switch (text.strip().toLowerCase(Locale.ROOT)) {
            case "t", "true", "y", "yes", "on", "1" -> true;
            case "f", "false", "n", "no", "off", "0" -> false;
            default ->
                throw new SQLDataException("Cannot cast to boolean: \"%s\"".formatted(text), SqlStates.CANNOT_COERCE);
        };
    }
}
