// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/** Compares sequences of moves and changes in one updatable result, and the table afterwards. */
final class UpdateSequences {
    private static final String QUERY = "SELECT id, name FROM things ORDER BY id";
    private static final int LENGTH = 12;
    private static final int SEQUENCES = 60;

    /** A step, which may depend on the number of the step. */
    private interface Step {
        Object on(ResultSet rows, int number) throws SQLException;
    }

    private record Named(String name, Step step) {}

    private static final List<Named> STEPS = new ArrayList<>();

    private static void put(String name, Step step) {
        STEPS.add(new Named(name, step));
    }

    static {
        put("next", (rows, number) -> rows.next());
        put("next", (rows, number) -> rows.next());
        put("previous", (rows, number) -> rows.previous());
        put("last", (rows, number) -> rows.last());
        put("first", (rows, number) -> rows.first());
        put("absolute 2", (rows, number) -> rows.absolute(2));
        put("beforeFirst", (rows, number) -> {
            rows.beforeFirst();
            return "done";
        });
        put("deleteRow", (rows, number) -> {
            rows.deleteRow();
            return "done";
        });
        put("updateRow", (rows, number) -> {
            rows.updateString(2, "updated " + number);
            rows.updateRow();
            return "done";
        });
        put("insertRow", (rows, number) -> {
            insert(rows, number);
            rows.moveToCurrentRow();
            return "done";
        });
        put("insertRow, and stay there", (rows, number) -> {
            insert(rows, number);
            return "done";
        });
        put("values of the insert row", (rows, number) -> {
            rows.moveToInsertRow();
            String before = rows.getString(2);
            rows.updateInt(1, 200 + number);
            rows.updateString(2, "not inserted");
            return before;
        });
        put("updateString", (rows, number) -> {
            rows.updateString(2, "not updated");
            return rows.getString(2);
        });
        put("moveToCurrentRow", (rows, number) -> {
            rows.moveToCurrentRow();
            return "done";
        });
        put("cancelRowUpdates", (rows, number) -> {
            rows.updateString(2, "canceled");
            rows.cancelRowUpdates();
            return "done";
        });
    }

    private static void insert(ResultSet rows, int number) throws SQLException {
        rows.moveToInsertRow();
        rows.updateInt(1, 100 + number);
        rows.updateString(2, "inserted " + number);
        rows.insertRow();
    }

    private final Comparisons comparisons;

    UpdateSequences(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) throws SQLException {
        run(ResultSet.TYPE_SCROLL_INSENSITIVE, 0, engines, ours);
        run(ResultSet.TYPE_FORWARD_ONLY, 0, engines, ours);
        engines.setAutoCommit(false);
        ours.setAutoCommit(false);
        run(ResultSet.TYPE_FORWARD_ONLY, 2, engines, ours);
    }

    private void run(int type, int fetchSize, Connection engines, Connection ours) throws SQLException {
        for (int seed = 0; seed < SEQUENCES; seed++) {
            Random random = new Random(seed);
            List<Named> steps = IntStream.range(0, LENGTH)
                    .mapToObj(i -> STEPS.get(random.nextInt(STEPS.size())))
                    .toList();
            String name = "%s, fetch size %d, sequence %d: "
                    .formatted(type == ResultSet.TYPE_FORWARD_ONLY ? "forward" : "scrolling", fetchSize, seed);
            restore(engines);
            restore(ours);
            try (Statement theirs = engines.createStatement(type, ResultSet.CONCUR_UPDATABLE);
                    Statement own = ours.createStatement(type, ResultSet.CONCUR_UPDATABLE)) {
                theirs.setFetchSize(fetchSize);
                own.setFetchSize(fetchSize);
                run(name, steps, theirs, own);
            }
        }
    }

    private static void restore(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.rollback();
        }
        UpdatableSuite.restore(connection);
    }

    /** Ends a sequence at the first difference, because everything after it may differ. */
    private void run(String name, List<Named> steps, Statement theirs, Statement own) throws SQLException {
        StringBuilder call = new StringBuilder(name);
        try (ResultSet theirRows = theirs.executeQuery(QUERY);
                ResultSet ownRows = own.executeQuery(QUERY)) {
            for (int i = 0; i < steps.size(); i++) {
                Named step = steps.get(i);
                int number = i;
                String expected = Rendering.outcome(theirRows, rows -> outcome(rows, step, number));
                String found = Rendering.outcome(ownRows, rows -> outcome(rows, step, number));
                comparisons.compare(call + step.name(), expected, found);
                if (!expected.equals(found)) {
                    return;
                }
                call.append(step.name()).append(", ");
            }
            comparisons.compare(call + "the table", theirs.getConnection(), own.getConnection(), UpdatableSuite::table);
        }
    }

    /** Returns the outcome of a step, and the position and the row afterwards. */
    private static String outcome(ResultSet rows, Named step, int number) {
        return "%s, before %s, first %s, last %s, after %s, row %s, value %s"
                .formatted(
                        brief(rows, same -> step.step().on(same, number)),
                        brief(rows, ResultSet::isBeforeFirst),
                        brief(rows, ResultSet::isFirst),
                        brief(rows, ResultSet::isLast),
                        brief(rows, ResultSet::isAfterLast),
                        brief(rows, ResultSet::getRow),
                        brief(rows, same -> same.getInt(1) + same.getString(2)));
    }

    private static String brief(ResultSet rows, Call<ResultSet> call) {
        String outcome = Rendering.outcome(rows, call);
        return outcome.contains("Exception [") ? "SQLException" : outcome;
    }
}
