package io.multimed.middleware;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;

/**
 * Compares satellites with their master, all tables of the master's catalogue, row by row: by digests in the engines, and where these differ the rows stream through, so
 * tables may be of any size; nothing may be updated meanwhile. Knows whether a satellite was seeded anew since {@link #mark}: that would repair what went wrong before.
 */
final class Copies {
    private static final int FETCH = 5_000;
    private static final int SHOWN = 3;

    private static final String TABLES = """
            SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'multimed', 'not_seeded')
            ORDER BY 1""";
    private static final String COLUMNS = """
            SELECT format('%%s %%s', attname, format_type(atttypid, atttypmod)) FROM pg_attribute
            WHERE attrelid = '%s'::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum""";
    private static final String DIGEST =
            "SELECT count(*) || ' ' || md5(string_agg(digest, '' ORDER BY digest)) FROM (SELECT md5((t.*)::text) AS digest FROM ONLY %s AS t) AS digests";
    private static final String ROWS = "SELECT (t.*)::text COLLATE \"C\" FROM ONLY %s AS t ORDER BY 1";

    private final TestCluster cluster;
    private final List<String> satellites;

    Copies(TestCluster cluster, String... satellites) {
        this.cluster = cluster;
        this.satellites = List.of(satellites);
    }

    /** Seeding removes all schemas that the master does not have. */
    Copies mark() throws SQLException {
        for (String satellite : satellites) {
            try (Connection copy = cluster.direct(satellite);
                    Statement statement = copy.createStatement()) {
                statement.execute("CREATE SCHEMA IF NOT EXISTS not_seeded");
            }
        }
        return this;
    }

    /** Waits until everything is applied; then every table must be the same everywhere, and no satellite seeded anew. */
    void assertSame() throws SQLException {
        cluster.awaitApplied();
        SoftAssertions softly = new SoftAssertions();
        try (Connection master = open("master")) {
            List<String> tables = texts(master, TABLES);
            assertThat(tables).isNotEmpty();
            for (String satellite : satellites) {
                try (Connection copy = open(satellite)) {
                    softly.assertThat(texts(copy, "SELECT 1 FROM pg_namespace WHERE nspname = 'not_seeded'"))
                            .as(satellite + " was not seeded anew")
                            .isNotEmpty();
                    softly.assertThat(texts(copy, TABLES))
                            .as("tables of " + satellite)
                            .isEqualTo(tables);
                    for (String table : tables) {
                        softly.assertThat(differences(master, copy, table))
                                .as(table + " on " + satellite)
                                .isEmpty();
                    }
                }
            }
        }
        softly.assertAll();
    }

    /** What a table looks like on the master, in the steady text form. */
    List<String> rows(String node, String table) throws SQLException {
        try (Connection connection = open(node)) {
            return texts(connection, ROWS.formatted(table));
        }
    }

    private Connection open(String node) throws SQLException {
        Connection connection = cluster.direct(node);
        try (Statement statement = connection.createStatement()) {
            statement.execute("SET timezone = 'UTC'; SET lc_monetary = 'C'");
        }
        connection.setAutoCommit(false); // so that rows stream
        return connection;
    }

    private static List<String> differences(Connection master, Connection copy, String table) throws SQLException {
        List<String> columns = texts(master, COLUMNS.formatted(table.replace("'", "''")));
        List<String> copied = texts(copy, COLUMNS.formatted(table.replace("'", "''")));
        if (!columns.equals(copied)) {
            return List.of("columns " + copied + " instead of " + columns);
        }
        if (texts(master, DIGEST.formatted(table)).equals(texts(copy, DIGEST.formatted(table)))) {
            return List.of();
        }
        try (Statement here = master.createStatement();
                Statement there = copy.createStatement()) {
            here.setFetchSize(FETCH);
            there.setFetchSize(FETCH);
            try (ResultSet wanted = here.executeQuery(ROWS.formatted(table));
                    ResultSet found = there.executeQuery(ROWS.formatted(table))) {
                List<String> differences = compare(wanted, found);
                return differences.isEmpty() ? List.of("a digest that differs") : differences;
            }
        }
    }

    private static List<String> compare(ResultSet wanted, ResultSet found) throws SQLException {
        List<String> differences = new ArrayList<>();
        while (differences.size() < SHOWN) {
            String here = wanted.next() ? wanted.getString(1) : null;
            String there = found.next() ? found.getString(1) : null;
            if (!Objects.equals(here, there)) {
                differences.add("%.200s instead of %.200s".formatted(there, here));
            } else if (here == null) {
                break;
            }
        }
        return differences;
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
