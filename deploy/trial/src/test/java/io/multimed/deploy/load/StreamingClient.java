// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.load;

import io.multimed.deploy.launcher.Series;
import io.multimed.jdbc.MultimedConnection;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Reads one large result to its end, in a separate process with little memory. Arguments: {@code URL ENGINE NODE
 * AUTOCOMMIT MEGABYTES}. Fails if a row is missing or another node answered.
 */
final class StreamingClient {
    static final int FETCHED = 200;
    private static final int ROW = 4_000;

    private StreamingClient() {}

    /** Returns a query whose rows, of a number and a text of 4,000 characters, have a size of so many megabytes. */
    static String query(String engine, int megabytes, boolean onMaster) {
        EngineSql speech = EngineSql.of(engine);
        String differing =
                onMaster ? ", " + speech.random() : ""; // values that differ between nodes keep the query on the master
        return "SELECT i, repeat('x', %d)%s FROM %s".formatted(ROW, differing, Series.to(rows(megabytes)));
    }

    private static int rows(int megabytes) {
        return (int) (((long) megabytes << 20) / ROW);
    }

    public static void main(String[] arguments) throws SQLException {
        String node = arguments[2];
        boolean onMaster = node.equals("master");
        boolean autoCommit = Boolean.parseBoolean(arguments[3]);
        int megabytes = Integer.parseInt(arguments[4]);
        try (Connection connection = DriverManager.getConnection(arguments[0], "", "");
                Statement statement = connection.createStatement()) {
            connection.setReadOnly(!onMaster);
            connection.setAutoCommit(autoCommit);
            statement.setFetchSize(FETCHED);
            long begin = System.nanoTime();
            readAll(statement, query(arguments[1], megabytes, onMaster), rows(megabytes));
            String answered = connection.unwrap(MultimedConnection.class).lastNode();
            if (!answered.startsWith(node)) {
                throw new IllegalStateException("answered by " + answered);
            }
            System.out.printf(
                    "%d MB of rows from %s, auto-commit %s, client's heap at most %d MB: %.1f s%n",
                    megabytes,
                    answered,
                    autoCommit,
                    Runtime.getRuntime().maxMemory() >> 20,
                    (System.nanoTime() - begin) / 1e9);
            if (!autoCommit) {
                connection.commit();
            }
        }
    }

    private static void readAll(Statement statement, String query, long expected) throws SQLException {
        long count = 0;
        long sum = 0;
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                count++;
                sum += rows.getLong(1); // in any order
                if (rows.getString(2).length() != ROW) {
                    throw new IllegalStateException("row %d is not what it should be".formatted(count));
                }
            }
        }
        if (count != expected || sum != expected * (expected + 1) / 2) {
            throw new IllegalStateException("%d rows of %d, or others".formatted(count, expected));
        }
    }
}
