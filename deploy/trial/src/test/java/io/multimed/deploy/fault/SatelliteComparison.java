// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import io.multimed.deploy.cluster.Cluster;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;

/** Compares satellites with their master, table by table and row by row. No updates may run meanwhile. */
public final class SatelliteComparison {
    private SatelliteComparison() {}

    /** Returns a description of each table that differs; empty if none does. */
    public static List<String> of(Cluster cluster, String... satellites) throws SQLException, InterruptedException {
        cluster.awaitSatellites();
        List<String> differences = new ArrayList<>();
        try (Connection master = TestModels.direct(cluster.engine("master"))) {
            for (String satellite : satellites) {
                try (Connection copy = TestModels.direct(cluster.engine(satellite))) {
                    compare(master, copy, satellite, differences);
                }
            }
        }
        return differences;
    }

    private static void compare(Connection master, Connection copy, String satellite, List<String> differences)
            throws SQLException {
        for (String table : tables(master)) {
            List<String> wanted = rows(master, table);
            List<String> found = rows(copy, table);
            if (!wanted.equals(found)) {
                List<String> missing = new ArrayList<>(wanted);
                missing.removeAll(new HashSet<>(found));
                List<String> extra = new ArrayList<>(found);
                extra.removeAll(new HashSet<>(wanted));
                differences.add("%s on %s: %d rows instead of %d; missing %.300s, too many %.300s"
                        .formatted(table, satellite, found.size(), wanted.size(), missing, extra));
            }
        }
    }

    /** The users' tables, quoted; with their schemas where the engine has them. */
    private static List<String> tables(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        String quote = data.getIdentifierQuoteString();
        List<String> names = new ArrayList<>();
        try (ResultSet tables = data.getTables(connection.getCatalog(), null, "%", new String[] {"TABLE"})) {
            while (tables.next()) {
                String schema = tables.getString("TABLE_SCHEM");
                if (!"multimed".equals(schema)) {
                    String table = quote + tables.getString("TABLE_NAME") + quote;
                    names.add(schema == null ? table : quote + schema + quote + "." + table);
                }
            }
        }
        return names;
    }

    /** Returns all rows of a table as texts, in order. */
    public static List<String> rows(Connection connection, String table) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(rows.getString(i));
                }
                texts.add(row.toString());
            }
        }
        Collections.sort(texts);
        return texts;
    }
}
