package io.multimed.deploy;

import io.multimed.deploy.cluster.Cluster;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Compares satellites with their master, table by table, row by row; nothing may be updated meanwhile. */
final class Difference {
    private static final String TABLES =
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'multimed') ORDER BY 1";

    private Difference() {}

    /** A sentence for each table that differs; empty if none does. */
    static List<String> of(Cluster cluster, String... satellites) throws SQLException, InterruptedException {
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
        for (String table : texts(master, TABLES)) {
            String rows = "SELECT t::text FROM " + table + " t ORDER BY 1";
            List<String> wanted = texts(master, rows);
            List<String> found = texts(copy, rows);
            if (!wanted.equals(found)) {
                List<String> missing = new ArrayList<>(wanted);
                missing.removeAll(new java.util.HashSet<>(found));
                List<String> extra = new ArrayList<>(found);
                extra.removeAll(new java.util.HashSet<>(wanted));
                differences.add("%s on %s: %d rows instead of %d; missing %.300s, too many %.300s"
                        .formatted(table, satellite, found.size(), wanted.size(), missing, extra));
            }
        }
    }

    private static List<String> texts(Connection connection, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                texts.add(rows.getString(1));
            }
        }
        return texts;
    }
}
