// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;

/** Compares the remaining rows of a partly read result after an event in its transaction, statement or connection. */
final class CursorSuite {
    /** An event between two reads of the result. */
    private interface Event {
        void happen(Connection connection, Statement statement, ResultSet rows) throws Exception;
    }

    private static final Map<String, Event> EVENTS = new LinkedHashMap<>();

    static {
        EVENTS.put("nothing", (connection, statement, rows) -> {});
        EVENTS.put("commit", (connection, statement, rows) -> connection.commit());
        EVENTS.put("rollback", (connection, statement, rows) -> connection.rollback());
        EVENTS.put("two commits", (connection, statement, rows) -> {
            connection.commit();
            connection.commit();
        });
        EVENTS.put("auto-commit", (connection, statement, rows) -> connection.setAutoCommit(true));
        EVENTS.put("another statement", (connection, statement, rows) -> other(connection, "SELECT 1"));
        EVENTS.put(
                "an update", (connection, statement, rows) -> other(connection, "UPDATE things SET price = price + 1"));
        EVENTS.put("a wrong statement", (connection, statement, rows) -> other(connection, "SELEC"));
        EVENTS.put("the statement again", (connection, statement, rows) -> statement.execute("SELECT 1"));
        EVENTS.put("the statement's end", (connection, statement, rows) -> statement.close());
        EVENTS.put("the result's end", (connection, statement, rows) -> rows.close());
        EVENTS.put("more results", (connection, statement, rows) -> statement.getMoreResults());
        EVENTS.put("another fetch size", (connection, statement, rows) -> rows.setFetchSize(50));
        EVENTS.put("a cancel", (connection, statement, rows) -> {
            if (statement.getFetchSize() == 0) {
                statement.cancel();
            }
        });
    }

    private final Comparisons comparisons;

    CursorSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) {
        for (int holdability : new int[] {ResultSet.HOLD_CURSORS_OVER_COMMIT, ResultSet.CLOSE_CURSORS_AT_COMMIT}) {
            for (int type : new int[] {ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE}) {
                for (boolean autoCommit : new boolean[] {true, false}) {
                    for (int fetchSize : new int[] {0, 2}) {
                        events(engines, ours, new Kind(holdability, type, autoCommit, fetchSize));
                    }
                }
            }
        }
    }

    private void events(Connection engines, Connection ours, Kind kind) {
        EVENTS.forEach((name, event) -> comparisons.compare(
                kind + ", " + name,
                engines,
                ours,
                connection -> kind.read(connection, comparisons.family().tenRows(), event)));
    }

    private record Kind(int holdability, int type, boolean autoCommit, int fetchSize) {
        String read(Connection connection, String query, Event event) throws Exception {
            connection.setAutoCommit(autoCommit);
            try (Statement statement = connection.createStatement(type, ResultSet.CONCUR_READ_ONLY, holdability)) {
                statement.setFetchSize(fetchSize);
                ResultSet rows = statement.executeQuery(query);
                rows.next();
                String happened = Rendering.outcome(connection, same -> {
                    event.happen(same, statement, rows);
                    return "done";
                });
                return "%s, closed %s, %s"
                        .formatted(happened, rows.isClosed(), Rendering.outcome(rows, Rendering::rows));
            } finally {
                if (!connection.getAutoCommit()) {
                    connection.rollback();
                    connection.setAutoCommit(true);
                }
            }
        }

        @Override
        public String toString() {
            return "%s %s %s, fetch size %d"
                    .formatted(
                            holdability == ResultSet.HOLD_CURSORS_OVER_COMMIT ? "held" : "closed",
                            type == ResultSet.TYPE_FORWARD_ONLY ? "forward" : "scrolling",
                            autoCommit ? "in auto-commit" : "in a transaction",
                            fetchSize);
        }
    }

    private static void other(Connection connection, String sql) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
