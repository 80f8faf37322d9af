// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Compares every move from every position of results of every kind and size, and the position afterwards. */
final class NavigationSuite {
    private static final Map<String, Call<ResultSet>> MOVES = new LinkedHashMap<>();
    private static final Map<String, Call<ResultSet>> STATE = new LinkedHashMap<>();

    private static void put(String name, Step<ResultSet> step) {
        MOVES.put(name, Step.call(step));
    }

    static {
        MOVES.put("next", ResultSet::next);
        MOVES.put("previous", ResultSet::previous);
        MOVES.put("first", ResultSet::first);
        MOVES.put("last", ResultSet::last);
        for (int row = -5; row <= 5; row++) {
            int target = row;
            MOVES.put("absolute " + row, rows -> rows.absolute(target));
            MOVES.put("relative " + row, rows -> rows.relative(target));
        }
        for (int row : new int[] {Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            MOVES.put("absolute " + row, rows -> rows.absolute(row));
            MOVES.put("relative " + row, rows -> rows.relative(row));
        }
        put("beforeFirst", ResultSet::beforeFirst);
        put("afterLast", ResultSet::afterLast);
        for (int direction : new int[] {ResultSet.FETCH_FORWARD, ResultSet.FETCH_REVERSE, ResultSet.FETCH_UNKNOWN, 7}) {
            MOVES.put("fetch direction " + direction, rows -> {
                rows.setFetchDirection(direction);
                return rows.getFetchDirection();
            });
        }
        for (int size : new int[] {-1, 0, 1, 100}) {
            MOVES.put("fetch size " + size, rows -> {
                rows.setFetchSize(size);
                return rows.getFetchSize();
            });
        }
        for (int direction : new int[] {ResultSet.FETCH_FORWARD, ResultSet.FETCH_REVERSE, ResultSet.FETCH_UNKNOWN}) {
            MOVES.put("query with fetch direction " + direction, rows -> {
                Statement statement = rows.getStatement();
                statement.setFetchDirection(direction);
                return statement.executeQuery("SELECT id FROM things").getFetchDirection();
            });
        }
        MOVES.put("nothing", rows -> "done");
        put("refreshRow", ResultSet::refreshRow);
        put("moveToCurrentRow", ResultSet::moveToCurrentRow);
        MOVES.put("wasNull", ResultSet::wasNull);
        MOVES.put("rowDeleted", ResultSet::rowDeleted);
        MOVES.put("the rest", Rendering::rows);

        STATE.put("before", ResultSet::isBeforeFirst);
        STATE.put("first", ResultSet::isFirst);
        STATE.put("last", ResultSet::isLast);
        STATE.put("after", ResultSet::isAfterLast);
        STATE.put("row", ResultSet::getRow);
        STATE.put("value", rows -> rows.getObject(1));
        STATE.put("next", ResultSet::next);
        STATE.put("value then", rows -> rows.getObject(1));
    }

    private final Comparisons comparisons;

    NavigationSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    /** A result of a number of rows, and the number of calls of next before the move. */
    private record Start(int type, int concurrency, int fetchSize, int rows, int position) {
        String move(Connection connection, Call<ResultSet> move) throws SQLException {
            try (Statement statement = connection.createStatement(type, concurrency)) {
                statement.setFetchSize(fetchSize);
                ResultSet result = statement.executeQuery(
                        "SELECT id, name FROM things WHERE id <= %d ORDER BY id".formatted(rows));
                for (int i = 0; i < position; i++) {
                    result.next();
                }
                StringBuilder outcome = new StringBuilder(outcome(result, move));
                STATE.forEach((name, call) ->
                        outcome.append(", ").append(name).append(' ').append(outcome(result, call)));
                return outcome.toString();
            }
        }

        /** Returns the outcome of a call; the messages of exceptions are compared by other suites. */
        private static String outcome(ResultSet result, Call<ResultSet> call) {
            String outcome = Rendering.outcome(result, call);
            return outcome.contains("Exception [") ? "SQLException" : outcome;
        }

        @Override
        public String toString() {
            return "%s %s, fetch size %d, %d rows, position %d"
                    .formatted(
                            type == ResultSet.TYPE_FORWARD_ONLY ? "forward" : "scrolling",
                            concurrency == ResultSet.CONCUR_READ_ONLY ? "read-only" : "updatable",
                            fetchSize,
                            rows,
                            position);
        }
    }

    void run(Connection engines, Connection ours) {
        for (int type : new int[] {ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE}) {
            for (int concurrency : new int[] {ResultSet.CONCUR_READ_ONLY, ResultSet.CONCUR_UPDATABLE}) {
                for (int fetchSize : new int[] {0, 1}) {
                    for (int rows : List.of(0, 1, 3)) {
                        for (int position = 0; position <= rows + 2; position++) {
                            moves(engines, ours, new Start(type, concurrency, fetchSize, rows, position));
                        }
                    }
                }
            }
        }
    }

    private void moves(Connection engines, Connection ours, Start start) {
        MOVES.forEach((name, move) ->
                comparisons.compare(start + ", " + name, engines, ours, connection -> start.move(connection, move)));
    }
}
