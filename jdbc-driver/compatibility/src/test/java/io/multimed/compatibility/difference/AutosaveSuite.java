// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.stream.IntStream;

/** Compares sequences of statements, of which some fail, in transactions of connections with the property autosave. */
final class AutosaveSuite {
    private static final int LENGTH = 14;
    private static final int SEQUENCES = 40;

    /** A step, which may depend on the number of the step. */
    private interface Step {
        Object on(Connection connection, int number) throws SQLException;
    }

    private record Named(String name, Step step) {}

    private static final List<Named> STATEMENTS = new ArrayList<>();
    private static final List<Named> SAVEPOINTS = new ArrayList<>();
    private static final List<Named> TRANSACTIONS = new ArrayList<>();

    private static void put(String name, Step step) {
        put(STATEMENTS, name, step);
    }

    private static void put(List<Named> steps, String name, Step step) {
        steps.add(new Named(name, step));
    }

    private static void sql(List<Named> steps, String sql) {
        steps.add(new Named(sql, (connection, number) -> execute(connection, sql.replace("NUMBER", "" + number))));
    }

    static {
        sql(STATEMENTS, "INSERT INTO saved VALUES (NUMBER, 'inserted')");
        sql(STATEMENTS, "INSERT INTO saved VALUES (1000, 'twice')");
        sql(STATEMENTS, "UPDATE saved SET name = 'updated' WHERE id = 1000");
        sql(STATEMENTS, "SELECT count(*) FROM saved");
        sql(STATEMENTS, "SELECT 1 / (count(*) - count(*)) FROM saved");
        sql(STATEMENTS, "SELEC 1");
        sql(STATEMENTS, "INSERT INTO saved VALUES (500 + NUMBER, 'of two'); INSERT INTO saved VALUES (1000, 'of two')");
        sql(STATEMENTS, "SET LOCAL work_mem = 'many'");
        sql(STATEMENTS, "SHOW transaction_isolation");
        put("prepared insert", (connection, number) -> prepared(connection, 100 + number));
        put("prepared insert of a known key", (connection, number) -> prepared(connection, 1000));
        put("batch", (connection, number) -> batch(connection, 200 + number, 300 + number));
        put("batch that fails", (connection, number) -> batch(connection, 400 + number, 1000));
        put("script that fails", (connection, number) -> {
            try (Statement statement = connection.createStatement()) {
                statement.addBatch("INSERT INTO saved VALUES (%d, 'script')".formatted(600 + number));
                statement.addBatch("INSERT INTO saved VALUES (1000, 'script')");
                return statement.executeBatch().length;
            }
        });
        put("description that fails", (connection, number) -> {
            try (PreparedStatement statement = connection.prepareStatement("SELECT nothing FROM saved WHERE id = ?")) {
                return statement.getMetaData().getColumnCount();
            }
        });
        put("insertRow that fails", (connection, number) -> {
            try (Statement statement =
                            connection.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE);
                    ResultSet rows = statement.executeQuery("SELECT id, name FROM saved")) {
                rows.moveToInsertRow();
                rows.updateInt(1, 1000);
                rows.insertRow();
                return "done";
            }
        });
        put("rows that are fetched later", AutosaveSuite::fetched);
        put("commit", (connection, number) -> {
            connection.commit();
            return "done";
        });
        put("rollback", (connection, number) -> {
            connection.rollback();
            return "done";
        });
        put(TRANSACTIONS, "BEGIN, SHOW, SET", (connection, number) -> {
            execute(connection, "COMMIT");
            execute(connection, "BEGIN");
            execute(connection, "SHOW transaction_isolation");
            return execute(connection, "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE");
        });
        sql(TRANSACTIONS, "BEGIN");
        sql(TRANSACTIONS, "COMMIT");
        sql(TRANSACTIONS, "ROLLBACK");
        sql(SAVEPOINTS, "SAVEPOINT own");
        SAVEPOINTS.add(new Named("savepoint of SQL", AutosaveSuite::savepointOfSql));
        SAVEPOINTS.add(new Named("savepoint of the connection", AutosaveSuite::savepoint));
    }

    private static Object execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return statement.getUpdateCount();
            }
            try (ResultSet rows = statement.getResultSet()) {
                return Rendering.rows(rows);
            }
        }
    }

    private static Object prepared(Connection connection, int id) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO saved VALUES (?, ?)")) {
            insert.setInt(1, id);
            insert.setString(2, "prepared");
            return insert.executeUpdate();
        }
    }

    private static Object batch(Connection connection, int... ids) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement("INSERT INTO saved VALUES (?, 'batch')")) {
            for (int id : ids) {
                insert.setInt(1, id);
                insert.addBatch();
            }
            return insert.executeBatch().length;
        }
    }

    /** Reads rows of a statement after another statement has failed. */
    private static Object fetched(Connection connection, int number) throws SQLException {
        try (Statement statement = connection.createStatement();
                Statement other = connection.createStatement()) {
            statement.setFetchSize(2);
            try (ResultSet rows = statement.executeQuery("SELECT generate_series(1, 9)")) {
                rows.next();
                String failure = Rendering.outcome(other, same -> same.execute("INSERT INTO saved VALUES (1000, 'x')"));
                return failure + Rendering.rows(rows);
            }
        }
    }

    private static Object savepointOfSql(Connection connection, int number) throws SQLException {
        execute(connection, "SAVEPOINT own");
        prepared(connection, 900 + number);
        String failure = Rendering.outcome(connection, same -> execute(same, "INSERT INTO saved VALUES (1000, 'z')"));
        execute(connection, "ROLLBACK TO SAVEPOINT own");
        prepared(connection, 1100 + number);
        return failure + execute(connection, "RELEASE SAVEPOINT own");
    }

    private static Object savepoint(Connection connection, int number) throws SQLException {
        Savepoint own = connection.setSavepoint();
        prepared(connection, 700 + number);
        String failure = Rendering.outcome(connection, same -> execute(same, "INSERT INTO saved VALUES (1000, 'y')"));
        connection.rollback(own);
        prepared(connection, 800 + number);
        connection.releaseSavepoint(own);
        return failure;
    }

    private final Comparisons comparisons;

    AutosaveSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(TwoDatabases databases) throws SQLException {
        databases.run(List.of("CREATE TABLE saved (id int PRIMARY KEY, name text)"));
        List<Named> withSavepoints = new ArrayList<>(STATEMENTS);
        withSavepoints.addAll(SAVEPOINTS);
        List<Named> withTransactions = new ArrayList<>(STATEMENTS);
        withTransactions.addAll(TRANSACTIONS);
        run("always", databases, Map.of("autosave", "always"), false, withSavepoints);
        run("transactions of SQL", databases, Map.of("autosave", "always"), true, withTransactions);
        run("cleanup", databases, Map.of("autosave", "ALWAYS", "cleanupSavepoints", "true"), false, STATEMENTS);
        run("conservative", databases, Map.of("autosave", "conservative"), false, withSavepoints);
    }

    private void run(
            String name, TwoDatabases databases, Map<String, String> settings, boolean autoCommit, List<Named> steps)
            throws SQLException {
        Properties properties = new Properties();
        properties.putAll(settings);
        for (int seed = 0; seed < SEQUENCES; seed++) {
            try (Connection engines = databases.engines().connect(properties);
                    Connection ours = databases.ours().connect(properties)) {
                begin(engines, autoCommit);
                begin(ours, autoCommit);
                run("%s, sequence %d: ".formatted(name, seed), sequence(steps, seed), engines, ours);
            }
        }
    }

    private static List<Named> sequence(List<Named> steps, int seed) {
        Random random = new Random(seed);
        return IntStream.range(0, LENGTH)
                .mapToObj(i -> steps.get(random.nextInt(steps.size())))
                .toList();
    }

    private static void begin(Connection connection, boolean autoCommit) throws SQLException {
        execute(connection, "DELETE FROM saved");
        execute(connection, "INSERT INTO saved VALUES (1000, 'first')");
        connection.setAutoCommit(autoCommit);
    }

    /** Ends a sequence at the first difference, because everything after it may differ. */
    private void run(String name, List<Named> steps, Connection engines, Connection ours) throws SQLException {
        StringBuilder call = new StringBuilder(name);
        for (int i = 0; i < steps.size(); i++) {
            Named step = steps.get(i);
            int number = i;
            call.append(step.name());
            String expected = outcome(engines, step, number);
            String found = outcome(ours, step, number);
            comparisons.compare(call.toString(), expected, found);
            if (!expected.equals(found)) {
                return;
            }
            call.append(", ");
        }
        String end = "COMMIT";
        comparisons.compare(call + end, engines, ours, connection -> execute(connection, end));
        String rows = "SELECT * FROM saved ORDER BY id";
        comparisons.compare(call + "the table", engines, ours, connection -> execute(connection, rows));
    }

    private String outcome(Connection connection, Named step, int number) {
        return comparisons
                .family()
                .comparable(Rendering.outcome(connection, same -> step.step().on(same, number)));
    }
}
