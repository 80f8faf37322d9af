// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Creates the table of the measurement, unless a table of the requested size exists. */
final class BenchTable {
    private static final int BATCH = 1_000;

    private BenchTable() {}

    /** Fills the table only if the number of rows differs; the counters of earlier runs do not matter. */
    static void ensure(Connection connection, int rows) throws SQLException {
        if (count(connection) == rows) {
            return;
        }
        try (Statement statement = connection.createStatement()) {
            statement.execute("DROP TABLE IF EXISTS bench_rows");
            statement.execute(
                    "CREATE TABLE bench_rows (id int PRIMARY KEY, counter int NOT NULL, filler varchar(100) NOT NULL)");
        }
        fill(connection, rows);
    }

    /** Returns the number of rows; -1 if this database, of possibly several of the server, has no such table. */
    private static int count(Connection connection) throws SQLException {
        DatabaseMetaData data = connection.getMetaData();
        try (ResultSet tables = data.getTables(connection.getCatalog(), null, "bench_rows", null)) {
            if (!tables.next()) {
                return -1;
            }
        }
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT count(*) FROM bench_rows")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static void fill(Connection connection, int rows) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO bench_rows VALUES (?, 0, ?)")) {
            for (int id = 1; id <= rows; id++) {
                insert.setInt(1, id);
                insert.setString(2, "x".repeat(80));
                insert.addBatch();
                if (id % BATCH == 0 || id == rows) {
                    insert.executeBatch();
                    connection.commit();
                }
            }
        }
        connection.setAutoCommit(true);
    }
}
