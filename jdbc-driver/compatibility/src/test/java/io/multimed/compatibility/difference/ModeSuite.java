// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Sets the modes of transactions (auto-commit, read-only, isolation) by JDBC and by SQL, in the sequences of modes.txt
 * and in random ones of the same steps, and changes rows meanwhile. A step is the name of a call, or else a statement.
 */
final class ModeSuite {
    private static final int SEQUENCES = 150;
    private static final int LENGTH = 7;

    /** Begins a statement that another connection executes. */
    private static final String ANOTHER = "another: ";

    /** The calls that a sequence can name. */
    private static final Map<String, Call<Connection>> CALLS = new LinkedHashMap<>();

    static {
        put("auto-commit off", connection -> connection.setAutoCommit(false));
        put("auto-commit on", connection -> connection.setAutoCommit(true));
        put("read-only on", connection -> connection.setReadOnly(true));
        put("read-only off", connection -> connection.setReadOnly(false));
        put("isolation 2", connection -> connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED));
        put("isolation 4", connection -> connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ));
        put("isolation 8", connection -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        put("commit", Connection::commit);
        put("rollback", Connection::rollback);
        CALLS.put("isolation?", Connection::getTransactionIsolation);
        CALLS.put("read-only?", Connection::isReadOnly);
    }

    private final Comparisons comparisons;
    private final TwoDatabases databases;

    ModeSuite(Comparisons comparisons, TwoDatabases databases) {
        this.comparisons = comparisons;
        this.databases = databases;
    }

    private static void put(String name, Step<Connection> step) {
        CALLS.put(name, Step.call(step));
    }

    void run() throws IOException, SQLException {
        databases.run(List.of(
                "CREATE TABLE moded (id int PRIMARY KEY, v int)", "INSERT INTO moded VALUES (1, 0), (2, 0), (3, 0)"));
        List<List<String>> sequences = Resource.lines(comparisons.family(), "modes.txt").stream()
                .map(line -> List.of(line.split(" \\| ", -1)))
                .toList();
        for (List<String> sequence : sequences) {
            run("", sequence);
        }
        List<String> steps = sequences.stream().flatMap(List::stream).toList();
        for (int seed = 0; seed < SEQUENCES; seed++) {
            Random random = new Random(seed);
            run(
                    "at random: ",
                    IntStream.range(0, LENGTH)
                            .mapToObj(i -> steps.get(random.nextInt(steps.size())))
                            .toList());
        }
        databases.run(List.of("DROP TABLE moded"));
    }

    /** Ends a sequence at the first difference, because everything after it may differ. */
    private void run(String how, List<String> sequence) throws SQLException {
        databases.run(List.of("UPDATE moded SET v = 0"));
        try (Connection engines = databases.engines().connect();
                Connection ours = databases.ours().connect()) {
            List<String> made = new ArrayList<>();
            for (String step : sequence) {
                made.add(step);
                String expected = outcome(databases.engines(), engines, step);
                String found = outcome(databases.ours(), ours, step);
                comparisons.compare(how + String.join(" | ", made), expected, found);
                if (!expected.equals(found)) {
                    return;
                }
            }
            engines.close();
            ours.close();
            String rows = "SELECT id, v FROM moded ORDER BY id";
            comparisons.compare(
                    how + String.join(" | ", made) + ": the table",
                    databases.engines(),
                    databases.ours(),
                    side -> alone(side, rows));
        }
    }

    private String outcome(Side side, Connection connection, String step) {
        Call<Connection> call = CALLS.get(step);
        if (call == null && step.startsWith(ANOTHER)) {
            call = same -> alone(side, step.substring(ANOTHER.length()));
        } else if (call == null) {
            call = same -> execute(same, step);
        }
        return comparisons.family().comparable(Rendering.outcome(connection, call));
    }

    private static Object alone(Side side, String sql) throws SQLException {
        try (Connection connection = side.connect()) {
            return execute(connection, sql);
        }
    }

    /** Returns all results of a statement. */
    private static Object execute(Connection connection, String sql) throws SQLException {
        List<String> results = new ArrayList<>();
        try (Statement statement = connection.createStatement()) {
            boolean hasRows = statement.execute(sql);
            while (hasRows || statement.getUpdateCount() >= 0) {
                results.add(hasRows ? rows(statement) : String.valueOf(statement.getUpdateCount()));
                hasRows = statement.getMoreResults();
            }
            return String.join(", ", results);
        }
    }

    private static String rows(Statement statement) throws SQLException {
        try (ResultSet rows = statement.getResultSet()) {
            return Rendering.rows(rows);
        }
    }
}
