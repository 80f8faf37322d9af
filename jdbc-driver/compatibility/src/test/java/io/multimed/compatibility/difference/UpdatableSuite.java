// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.difference;

import java.io.ByteArrayInputStream;
import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Compares updatable results: the effect of each step on the result and on the table, and refused steps. */
final class UpdatableSuite {
    private static final List<String> QUERIES = List.of(
            "SELECT * FROM things ORDER BY id",
            "SELECT id, name FROM things ORDER BY id",
            "SELECT id AS number, name AS title FROM things ORDER BY id",
            "SELECT t.id, t.name FROM things t WHERE t.id < 3 ORDER BY t.id",
            "SELECT name FROM things ORDER BY id",
            "SELECT things.id, parts.id FROM things JOIN parts ON things.id = parts.thing ORDER BY 1, 2",
            "SELECT count(*) FROM things",
            "SELECT id, name FROM seen_things ORDER BY id",
            "SELECT id, name FROM HOME.things ORDER BY id");

    private static final Map<String, Call<ResultSet>> STEPS = new LinkedHashMap<>();

    private static void put(String name, Step<ResultSet> step) {
        STEPS.put(name, Step.call(step));
    }

    static {
        STEPS.put("concurrency", ResultSet::getConcurrency);
        put("updateRow before the first", ResultSet::updateRow);
        put("updateString before the first", rows -> rows.updateString(2, "early"));
        put("deleteRow before the first", ResultSet::deleteRow);
        STEPS.put("next", ResultSet::next);
        put("updateRow without a change", ResultSet::updateRow);
        put("updateString", rows -> rows.updateString(2, "changed"));
        STEPS.put("getString before updateRow", rows -> rows.getString(2));
        put("updateRow", ResultSet::updateRow);
        STEPS.put("getString after updateRow", rows -> rows.getString(2));
        STEPS.put("rowUpdated", ResultSet::rowUpdated);
        put("updateString again", rows -> rows.updateString(2, "cancelled"));
        put("cancelRowUpdates", ResultSet::cancelRowUpdates);
        STEPS.put("getString after cancelRowUpdates", rows -> rows.getString(2));
        put("updateNull", rows -> rows.updateNull(2));
        put("updateRow that fails", ResultSet::updateRow);
        put("cancelRowUpdates again", ResultSet::cancelRowUpdates);
        put("refreshRow", ResultSet::refreshRow);
        STEPS.put("getString after refreshRow", rows -> rows.getString(2));
        put("updateInt of the key", rows -> rows.updateInt(1, 77));
        put("updateRow of the key", ResultSet::updateRow);
        STEPS.put("getInt of the key", rows -> rows.getInt(1));
        put("updateString of no column", rows -> rows.updateString(9, "x"));
        put("updateString of no label", rows -> rows.updateString("nothing", "x"));
        put("updateObject by label", rows -> rows.updateObject("name", "by label"));
        STEPS.put("next after an update that was not written", ResultSet::next);
        STEPS.put("getString after it", rows -> rows.getString(2));
        inserts();
        STEPS.put("isLast", ResultSet::isLast);
        put("deleteRow", ResultSet::deleteRow);
        STEPS.put("rowDeleted", ResultSet::rowDeleted);
        STEPS.put("getInt after deleteRow", rows -> rows.getInt(1));
        STEPS.put("getRow after deleteRow", ResultSet::getRow);
        STEPS.put("next after deleteRow", ResultSet::next);
        STEPS.put("getInt after it", rows -> rows.getInt(1));
        STEPS.put("the rest", Rendering::rows);
        put("deleteRow after the last", ResultSet::deleteRow);
        put("updateRow after the last", ResultSet::updateRow);
    }

    private static void inserts() {
        put("insertRow on no insert row", ResultSet::insertRow);
        put("moveToInsertRow", ResultSet::moveToInsertRow);
        STEPS.put("getString on the insert row", rows -> rows.getString(2));
        STEPS.put("next on the insert row", ResultSet::next);
        put("updateRow on the insert row", ResultSet::updateRow);
        put("deleteRow on the insert row", ResultSet::deleteRow);
        put("refreshRow on the insert row", ResultSet::refreshRow);
        put("insertRow of nothing", ResultSet::insertRow);
        put("updateInt on the insert row", rows -> rows.updateInt(1, 99));
        put("updateString on the insert row", rows -> rows.updateString(2, "inserted"));
        put("updateBigDecimal on the insert row", rows -> rows.updateBigDecimal(3, new BigDecimal("9.99")));
        put("insertRow", ResultSet::insertRow);
        STEPS.put("rowInserted", ResultSet::rowInserted);
        put("moveToCurrentRow", ResultSet::moveToCurrentRow);
        STEPS.put("getInt on the current row", rows -> rows.getInt(1));
    }

    /** Updates the second column by a stream of two characters or bytes. */
    private interface Stream {
        void on(ResultSet rows, int length) throws SQLException;
    }

    private static final Set<String> STREAMED =
            Set.of("text", "varchar(30)", "char(8)", "bytea", "blob", "varbinary(30)");

    private static final Map<String, Stream> STREAMS = Map.of(
            "updateAsciiStream", (rows, length) -> rows.updateAsciiStream(2, digits(), length),
            "updateBinaryStream", (rows, length) -> rows.updateBinaryStream(2, digits(), length),
            "updateBinaryStream(long)", (rows, length) -> rows.updateBinaryStream(2, digits(), (long) length),
            "updateCharacterStream", (rows, length) -> rows.updateCharacterStream(2, new StringReader("12"), length));

    private static ByteArrayInputStream digits() {
        return new ByteArrayInputStream(new byte[] {'1', '2'});
    }

    private final Comparisons comparisons;

    UpdatableSuite(Comparisons comparisons) {
        this.comparisons = comparisons;
    }

    void run(Connection engines, Connection ours) throws SQLException {
        for (int type : new int[] {ResultSet.TYPE_FORWARD_ONLY, ResultSet.TYPE_SCROLL_INSENSITIVE}) {
            for (String query : QUERIES) {
                steps(type, query.replace("HOME", comparisons.family().home()), engines, ours);
            }
        }
        for (String step : List.of("updateRow", "deleteRow", "refreshRow")) {
            comparisons.compare(
                    step + " of a row that was deleted", engines, ours, connection -> gone(connection, step));
            restore(engines);
            restore(ours);
        }
    }

    /** Compares streams that are longer or shorter than their lengths, in columns of texts and bytes. */
    void runStreams(Connection engines, Connection ours) {
        List<String> types = comparisons.family().parameterTypes();
        for (String type : types.stream().filter(STREAMED::contains).toList()) {
            String query = "SELECT id, c%d FROM holder WHERE id = 1".formatted(types.indexOf(type));
            for (int length : new int[] {-2, -1, 0, 1, 2, 3}) {
                STREAMS.forEach((name, stream) -> comparisons.compare(
                        "%s of length %d in %s".formatted(name, length, type),
                        engines,
                        ours,
                        connection -> stream(connection, query, row -> stream.on(row, length))));
            }
        }
    }

    private static String stream(Connection connection, String query, Step<ResultSet> step) throws Exception {
        connection.setAutoCommit(false);
        try (Statement statement = statement(connection, ResultSet.TYPE_SCROLL_INSENSITIVE);
                ResultSet rows = statement.executeQuery(query)) {
            rows.next();
            step.on(rows);
            rows.updateRow();
            return Rendering.rows(connection.createStatement().executeQuery(query))
                    .toString();
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }

    private static String gone(Connection connection, String step) throws SQLException {
        try (Statement statement = statement(connection, ResultSet.TYPE_SCROLL_INSENSITIVE);
                Statement other = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT id, name FROM things WHERE id = 2")) {
            rows.next();
            other.executeUpdate("DELETE FROM things WHERE id = 2");
            rows.updateString(2, "late");
            return Rendering.outcome(rows, row -> {
                switch (step) {
                    case "updateRow" -> row.updateRow();
                    case "deleteRow" -> row.deleteRow();
                    default -> row.refreshRow();
                }
                return "done";
            });
        }
    }

    private void steps(int type, String query, Connection engines, Connection ours) throws SQLException {
        try (Statement theirs = statement(engines, type);
                Statement own = statement(ours, type);
                ResultSet theirRows = theirs.executeQuery(query);
                ResultSet ownRows = own.executeQuery(query)) {
            String name = "%s %s, ".formatted(type == ResultSet.TYPE_FORWARD_ONLY ? "forward" : "scrolling", query);
            STEPS.forEach((step, call) -> comparisons.compare(name + step, theirRows, ownRows, call));
            comparisons.compare(name + "the table", engines, ours, UpdatableSuite::table);
        }
        restore(engines);
        restore(ours);
    }

    private static Statement statement(Connection connection, int type) throws SQLException {
        return connection.createStatement(type, ResultSet.CONCUR_UPDATABLE);
    }

    static Object table(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM things ORDER BY id")) {
            return Rendering.rows(rows);
        }
    }

    static void restore(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("DELETE FROM parts");
            statement.execute("DELETE FROM things");
            statement.execute("INSERT INTO things VALUES (1, 'one', 1.5), (2, 'two', 2.25), (3, 'three', NULL)");
            statement.execute("INSERT INTO things VALUES (4, 'four', 4)");
            statement.execute("INSERT INTO parts VALUES (1, 1)");
        }
    }
}
