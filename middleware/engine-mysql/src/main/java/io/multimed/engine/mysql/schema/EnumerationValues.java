// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Names;
import io.multimed.engine.mysql.connection.RoundTrip;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.IntFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Reads the values of ENUM and SET columns that the engine's catalog cannot show, from a temporary table that contains
 * each value once.
 */
final class EnumerationValues {
    private static final Pattern LITERAL = Pattern.compile("'(?:[^'\\\\]|''|\\\\.)*+'", Pattern.DOTALL);
    private static final String TABLE = "multimed.enumeration";

    private EnumerationValues() {}

    /** Returns the column with the values that it has. Commits nothing. */
    static ColumnDefinition shown(Connection master, String schema, String table, ColumnDefinition column)
            throws SQLException {
        int values = (int) LITERAL.matcher(column.type()).results().count();
        IntFunction<String> number = column.dataType().equals("set")
                ? value -> "(1 << %d)".formatted(value)
                : value -> "(%d)".formatted(value + 1);
        String name = Names.identifier(column.name());
        RoundTrip trip = new RoundTrip()
                .execute("DROP TEMPORARY TABLE IF EXISTS " + TABLE)
                .execute("CREATE TEMPORARY TABLE %s AS SELECT %s FROM %s LIMIT 0"
                        .formatted(TABLE, name, Names.table(schema, table)))
                .execute(IntStream.range(0, values)
                        .mapToObj(number)
                        .collect(Collectors.joining(",", "INSERT INTO " + TABLE + " VALUES ", "")));
        List<String> shown =
                trip.texts("SELECT CONVERT(%1$s USING utf8mb4) FROM %2$s ORDER BY %1$s + 0".formatted(name, TABLE));
        trip.execute("DROP TEMPORARY TABLE " + TABLE);
        trip.send(master);
        return column.withValues(shown);
    }
}
