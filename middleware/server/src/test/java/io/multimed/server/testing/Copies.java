// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.conformance.EngineSql;
import io.multimed.engine.conformance.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.SoftAssertions;

/**
 * Compares all tables of the master's catalog on satellites and the master, row by row: by digests in the engines,
 * and by streams of rows where the digests differ, so that tables may have any size. No client may write during the
 * comparison. {@link #mark} makes the comparison fail if a satellite was seeded again in the meantime, because a new
 * seeding would repair errors. Works for every engine: the file {@code copies.sql} of the engine contains the queries.
 */
public final class Copies {
    private static final int FETCH = 5_000;
    private static final int SHOWN = 3;

    private final TestCluster cluster;
    private final List<String> satellites;
    private final EngineSql sql;

    /**
     * @param columns their names and types
     * @param digest a query whose one value is the same for the same rows
     * @param rows a query of all rows as texts, in an order of their own
     */
    private record Table(String name, String columns, String digest, String rows) {
        @Override
        public String toString() {
            return "%s (%s)".formatted(name, columns);
        }
    }

    private Copies(TestCluster cluster, List<String> satellites) {
        this.cluster = cluster;
        this.satellites = satellites;
        this.sql = EngineSql.of(cluster.engine("master").node().engine(), "copies");
    }

    /** @param satellites names of nodes that hold everything */
    public static Copies of(TestCluster cluster, String... satellites) {
        return new Copies(cluster, List.of(satellites));
    }

    /** Leaves in each satellite what seeding removes. */
    public Copies mark() throws SQLException {
        for (String satellite : satellites) {
            try (Connection copy = cluster.direct(satellite)) {
                Sql.run(copy, sql.statement("mark"));
            }
        }
        return this;
    }

    /**
     * Waits until satellites have applied all changes; then every table must be the same on all nodes, and no satellite
     * may have been seeded again.
     */
    public void assertSame() throws SQLException {
        cluster.awaitApplied();
        SoftAssertions softly = new SoftAssertions();
        try (Connection master = open("master")) {
            List<Table> tables = tables(master);
            assertThat(tables).isNotEmpty();
            Map<Table, String> digests = new HashMap<>();
            for (Table table : tables) {
                digests.put(table, digest(master, table));
            }
            for (String satellite : satellites) {
                try (Connection copy = open(satellite)) {
                    softly.assertThat(Sql.text(copy, sql.statement("marks")))
                            .as(satellite + " was not seeded anew")
                            .isNotNull();
                    List<Table> copied = tables(copy);
                    softly.assertThat(copied).as("tables of " + satellite).isEqualTo(tables);
                    for (Table table : tables) {
                        if (copied.contains(table) && !digest(copy, table).equals(digests.get(table))) {
                            softly.assertThat(differences(master, copy, table))
                                    .as(table.name() + " on " + satellite)
                                    .isEmpty();
                        }
                    }
                }
            }
        }
        softly.assertAll();
    }

    /** Returns the rows of a table on a node, in the format of the comparison. */
    public List<String> rows(String node, String table) throws SQLException {
        try (Connection connection = open(node)) {
            List<String> rows = new ArrayList<>();
            for (Table each : tables(connection)) {
                if (each.name().equals(table)) {
                    read(connection, each.rows(), row -> rows.add(row.getString(1)));
                    return rows;
                }
            }
        }
        throw new IllegalArgumentException("%s has no table %s".formatted(node, table));
    }

    private Connection open(String node) throws SQLException {
        Connection connection = cluster.direct(node);
        Sql.run(connection, sql.statements("settings"));
        connection.setAutoCommit(false); // without auto-commit, drivers stream the rows
        return connection;
    }

    private List<Table> tables(Connection connection) throws SQLException {
        List<Table> tables = new ArrayList<>();
        read(
                connection,
                sql.statement("tables"),
                row -> tables.add(new Table(row.getString(1), row.getString(2), row.getString(3), row.getString(4))));
        return tables;
    }

    private static String digest(Connection connection, Table table) throws SQLException {
        return String.valueOf(Sql.text(connection, table.digest()));
    }

    private static List<String> differences(Connection master, Connection copy, Table table) throws SQLException {
        try (Statement here = master.createStatement();
                Statement there = copy.createStatement()) {
            here.setFetchSize(FETCH);
            there.setFetchSize(FETCH);
            try (ResultSet wanted = here.executeQuery(table.rows());
                    ResultSet found = there.executeQuery(table.rows())) {
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

    private interface Row {
        void read(ResultSet row) throws SQLException;
    }

    private static void read(Connection connection, String query, Row each) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                each.read(rows);
            }
        }
    }
}
