// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.satellite;

import io.multimed.engine.postgresql.connection.Quoting;
import io.multimed.engine.postgresql.sql.PureFunctions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Limits what the readers' role of a satellite may run and read (architecture 4.7): the engine itself refuses what a
 * pure read does not contain, however a statement was classified. The functions in {@code satellite.sql} compute the
 * differences; they change nothing if all privileges are right.
 */
final class ReaderFence {
    /** The first object identifier of objects that are not built in. */
    private static final int FIRST_ADDED = 16_384;

    /** Functions that the engine's driver, or Multimed, calls on the connections of readers. They change nothing. */
    private static final List<String> OF_DRIVER =
            List.of("pg_get_expr", "current_schemas", "pg_advisory_unlock_all", "pg_encoding_to_char");

    /** Tables of the catalog that the engine's driver reads on the connections of readers. */
    private static final List<String> CATALOG_OF_DRIVER =
            List.of("pg_type", "pg_namespace", "pg_class", "pg_attribute", "pg_attrdef", "pg_enum", "pg_range");

    /** Functions that are created from now on, in any schema, are closed until {@link #ADDED} opens them. */
    private static final String CLOSE_NEW = "ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON ROUTINES FROM PUBLIC";

    /** The statement that limits the functions which are not the engine's own. */
    static final String ADDED = functions(FIRST_ADDED);

    private ReaderFence() {}

    /** Limits all functions, present and future ones, and the catalog. The caller commits. */
    static void limit(Connection satellite) throws SQLException {
        try (Statement statement = satellite.createStatement()) {
            statement.execute(CLOSE_NEW);
            statement.execute(functions(0));
            statement.execute("SELECT multimed.close_catalog('%s', %s)"
                    .formatted(SatelliteCatalog.READER, array(CATALOG_OF_DRIVER)));
        }
    }

    private static String functions(int first) {
        List<String> harmless = Stream.concat(PureFunctions.HARMLESS.stream(), OF_DRIVER.stream())
                .toList();
        return "SELECT multimed.limit_functions('%s', %d, %s, %s, %s, '%s')"
                .formatted(
                        SatelliteCatalog.READER,
                        first,
                        Quoting.literal(PureFunctions.OF_SERVER),
                        array(harmless),
                        array(PureFunctions.KNOWN_EXTENSIONS),
                        PureFunctions.EXCEPTION);
    }

    private static String array(Collection<String> values) {
        return values.stream().map(Quoting::literal).collect(Collectors.joining(", ", "ARRAY[", "]"));
    }
}
