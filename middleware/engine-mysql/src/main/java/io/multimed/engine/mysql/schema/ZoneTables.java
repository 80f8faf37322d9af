// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.schema;

import io.multimed.engine.mysql.connection.Queries;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Copies the server's tables of named time zones, which an administrator may have loaded or not. {@code CONVERT_TZ}
 * with a name returns the same result only on servers with the same tables.
 */
public final class ZoneTables {
    private static final List<String> TABLES = List.of(
            "time_zone",
            "time_zone_leap_second",
            "time_zone_name",
            "time_zone_transition",
            "time_zone_transition_type");

    /** Rows per INSERT. */
    private static final int ROWS = 1_000;

    private ZoneTables() {}

    static String print(Connection connection) throws SQLException {
        List<String> prints = new ArrayList<>();
        for (String table : TABLES) {
            List<String> columns = columns(connection, table);
            prints.addAll(Queries.texts(
                    connection,
                    "SELECT CONCAT(COUNT(*), ':', COALESCE(SUM(CRC32(CONCAT_WS(',', %s))), 0)) FROM mysql.%s"
                            .formatted(String.join(", ", columns), table)));
        }
        return String.join(" ", prints);
    }

    private static List<String> columns(Connection connection, String table) throws SQLException {
        return Queries.texts(
                connection,
                "SELECT CONCAT('`', COLUMN_NAME, '`') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'mysql' AND TABLE_NAME = ? ORDER BY ORDINAL_POSITION",
                table);
    }

    /**
     * Replaces the satellite's tables by those of the master, as the master's snapshot sees them, unless they are
     * equal. Commits on the satellite.
     */
    public static void copy(Connection master, Connection satellite) throws SQLException {
        if (print(satellite).equals(print(master))) {
            return;
        }
        for (String table : TABLES) {
            Queries.execute(satellite, "DELETE FROM mysql." + table);
            copy(table, columns(master, table).size(), master, satellite);
        }
        satellite.commit();
    }

    private static void copy(String table, int columns, Connection master, Connection satellite) throws SQLException {
        try (Statement statement = master.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM mysql." + table)) {
            List<Object> values = new ArrayList<>();
            while (rows.next()) {
                for (int i = 1; i <= columns; i++) {
                    values.add(rows.getObject(i));
                }
                if (values.size() == ROWS * columns) {
                    insert(table, columns, values, satellite);
                    values.clear();
                }
            }
            insert(table, columns, values, satellite);
        }
    }

    private static void insert(String table, int columns, List<Object> values, Connection satellite)
            throws SQLException {
        if (values.isEmpty()) {
            return;
        }
        String row = "(" + String.join(",", Collections.nCopies(columns, "?")) + ")";
        String rows = String.join(",", Collections.nCopies(values.size() / columns, row));
        try (PreparedStatement insert =
                satellite.prepareStatement("INSERT INTO mysql.%s VALUES %s".formatted(table, rows))) {
            for (int i = 0; i < values.size(); i++) {
                insert.setObject(i + 1, values.get(i));
            }
            insert.executeUpdate();
        }
    }
}
