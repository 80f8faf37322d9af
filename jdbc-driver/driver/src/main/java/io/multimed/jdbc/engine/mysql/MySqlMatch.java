// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.engine.mysql;

import io.multimed.jdbc.engine.ResultConversions.Match;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.value.Column;
import io.multimed.protocol.value.Parameter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Types;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the rows whose column has a value that a result has shown. The engine compares a number with a number, and any
 * other type with the text of the value.
 */
final class MySqlMatch {
    /** By how many minutes clocks have been put back since 1970, the first year of the type. */
    private static final List<Integer> PUT_BACK = List.of(30, 60, 120, 180);

    private MySqlMatch() {}

    /** @throws SQLException 0A000 for a type whose values the engine shows rounded */
    static Match of(String name, @Nullable Object value, Column column) throws SQLException {
        String equal = name + " = ?";
        if (column.sqlType() == Types.REAL) {
            throw new SQLFeatureNotSupportedException(
                    "column %s belongs to the key, and the engine shows its type %s with six digits, which several values have in common: use DOUBLE or DECIMAL, or change the row by SQL"
                            .formatted(name, column.typeName()),
                    SqlStates.NOT_SUPPORTED);
        } else if (value instanceof String text) {
            return column.typeName().equals("TIMESTAMP") ? moment(equal, text) : match(equal, Types.VARCHAR, text);
        } else if (value instanceof byte[] bytes) {
            return column.sqlType() == Types.BIT
                    ? match(equal, Types.NUMERIC, new BigDecimal(new BigInteger(1, bytes)))
                    : match(equal, Types.BINARY, bytes);
        }
        return value instanceof Number number
                ? match(equal, Types.NUMERIC, new BigDecimal(number.toString()))
                : match(equal, Types.NULL, value);
    }

    private static Match match(String condition, int sqlType, @Nullable Object value) {
        return new Match(condition, List.of(new Parameter(sqlType, value)));
    }

    /**
     * Finds no row if two moments have the same text in the time zone of the session, because its clock was put back:
     * the engine would take the text for one of them.
     */
    private static Match moment(String equal, String text) {
        String unique = PUT_BACK.stream()
                .flatMapToInt(minutes -> IntStream.of(-60 * minutes, 60 * minutes))
                .mapToObj(" AND (FROM_UNIXTIME(UNIX_TIMESTAMP(?) + %d) = ?) IS NOT TRUE"::formatted)
                .collect(Collectors.joining());
        Parameter value = new Parameter(Types.VARCHAR, text);
        return new Match(equal + unique, Collections.nCopies(1 + 4 * PUT_BACK.size(), value));
    }
}
