package io.multimed.middleware.node.engine.mysql;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.middleware.TestCluster;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.assertj.core.api.SoftAssertions;

/** Compares satellites with their master, all tables, all rows, as a client reads them and as bytes. Knows whether a satellite was seeded anew since {@link #mark}. */
final class FamilyCopies {
    private static final String TABLES =
            "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = 'shop' AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1";
    private static final String COLUMNS = """
            SELECT COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME, COLLATION_NAME FROM information_schema.COLUMNS
            WHERE TABLE_SCHEMA = 'shop' AND TABLE_NAME = '%s' AND COLUMN_NAME NOT LIKE 'multimed%%' ORDER BY ORDINAL_POSITION""";

    private final TestCluster cluster;
    private final List<String> satellites;

    FamilyCopies(TestCluster cluster, String... satellites) {
        this.cluster = cluster;
        this.satellites = List.of(satellites);
    }

    /** Seeding removes Multimed's own database. */
    FamilyCopies mark() throws SQLException {
        for (String satellite : satellites) {
            try (Connection copy = cluster.direct(satellite);
                    Statement statement = copy.createStatement()) {
                statement.execute("CREATE TABLE IF NOT EXISTS multimed.not_seeded (a INT)");
            }
        }
        return this;
    }

    /** Waits until everything is applied; then every table must be the same everywhere, and no satellite seeded anew. */
    void assertSame() throws SQLException {
        cluster.awaitApplied();
        SoftAssertions softly = new SoftAssertions();
        try (Connection master = open("master")) {
            List<String> tables = rows(master, TABLES);
            assertThat(tables).isNotEmpty();
            for (String satellite : satellites) {
                try (Connection copy = open(satellite)) {
                    softly.assertThat(rows(copy, "SHOW TABLES FROM multimed LIKE 'not_seeded'"))
                            .as(satellite + " was not seeded anew")
                            .isNotEmpty();
                    softly.assertThat(rows(copy, TABLES))
                            .as("tables of " + satellite)
                            .isEqualTo(tables);
                    for (String table : tables) {
                        softly.assertThat(rows(copy, COLUMNS.formatted(table)))
                                .as("columns of " + table)
                                .isEqualTo(rows(master, COLUMNS.formatted(table)));
                        softly.assertThat(sorted(copy, table))
                                .as(table + " on " + satellite)
                                .isEqualTo(sorted(master, table));
                    }
                }
            }
        }
        softly.assertAll();
    }

    List<String> sorted(String node, String table) throws SQLException {
        try (Connection connection = open(node)) {
            return sorted(connection, table);
        }
    }

    /** Every column twice: as a text, and as the bytes of its stored form as far as SQL shows them. */
    private static List<String> sorted(Connection connection, String table) throws SQLException {
        List<String> columns = rows(connection, COLUMNS.formatted(table)).stream()
                .map(row -> Names.identifier(row.substring(0, row.indexOf('|'))))
                .toList();
        List<String> all = new ArrayList<>(columns);
        columns.forEach(column -> all.add("HEX(" + column + ")"));
        List<String> rows =
                rows(connection, "SELECT " + String.join(", ", all) + " FROM shop.`" + table.replace("`", "``") + "`");
        Collections.sort(rows);
        return rows;
    }

    private Connection open(String node) throws SQLException {
        Connection connection = cluster.direct(node);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET time_zone = '+00:00'");
        }
        return connection;
    }

    private static List<String> rows(Connection connection, String query) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            while (found.next()) {
                StringBuilder row = new StringBuilder();
                for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
                    byte[] bytes = found.getBytes(i);
                    row.append(i == 1 ? "" : "|")
                            .append(bytes == null ? "NULL" : new String(bytes, StandardCharsets.ISO_8859_1));
                }
                rows.add(row.toString());
            }
        }
        return rows;
    }
}
