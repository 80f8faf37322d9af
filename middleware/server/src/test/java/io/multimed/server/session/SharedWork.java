// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.protocol.wire.Protocol;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The kinds of work that several threads do at the same time on one connection. The result of each work contains the
 * number of its thread and round, so that a thread recognizes a result of another one.
 */
final class SharedWork {
    /** Rows of each thread in the table listed. */
    static final int LINES = 20;

    /** More prepared statements than the middleware remembers for a connection. */
    private static final int TEXTS = Protocol.SLOTS + 30;

    /** Work that checks its own result. */
    @FunctionalInterface
    interface Work {
        void run(Connection shared, int thread, int round) throws SQLException;
    }

    private SharedWork() {}

    /** Returns the kinds of work that neither begin nor end a transaction, by their names. */
    static Map<String, Work> all() {
        Map<String, Work> all = new LinkedHashMap<>();
        all.put("statement", SharedWork::statement);
        all.put("prepared statement", SharedWork::prepared);
        all.put("prepared statement, text of all threads", SharedWork::preparedByAll);
        all.put("update", SharedWork::update);
        all.put("batch", SharedWork::batch);
        all.put("batch of several statements", SharedWork::script);
        all.put("generated keys", SharedWork::keys);
        all.put("large value", SharedWork::large);
        all.put("streaming", SharedWork::streaming);
        all.put("streaming, closed early", SharedWork::streamingClosedEarly);
        all.put("scrolling", SharedWork::scrolling);
        all.put("updatable result", SharedWork::updatable);
        all.put("call", SharedWork::call);
        all.put("metadata of a result", SharedWork::resultMetaData);
        all.put("metadata of the database", SharedWork::databaseMetaData);
        all.put("metadata of a prepared statement", SharedWork::preparedMetaData);
        return all;
    }

    private static void statement(Connection shared, int thread, int round) throws SQLException {
        try (Statement statement = shared.createStatement();
                ResultSet row = statement.executeQuery("SELECT %d AS t, %d AS r".formatted(thread, round))) {
            assertRow(row, thread, round);
        }
    }

    /** Asserts that a result has one row, with the numbers of the thread and the round. */
    private static void assertRow(ResultSet row, int thread, int round) throws SQLException {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt("t")).isEqualTo(thread);
        assertThat(row.getInt("r")).isEqualTo(round);
        assertThat(row.next()).isFalse();
    }

    private static void prepared(Connection shared, int thread, int round) throws SQLException {
        int text = (round * 31 + thread * 7) % TEXTS;
        try (PreparedStatement statement =
                shared.prepareStatement("SELECT t, r, %d AS x%1$d FROM rounds WHERE t = ? AND r = ?".formatted(text))) {
            statement.setInt(1, thread);
            statement.setInt(2, round);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.getMetaData().getColumnLabel(3)).isEqualToIgnoringCase("x" + text);
                assertRow(row, thread, round);
            }
        }
    }

    private static void preparedByAll(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement = shared.prepareStatement(
                "SELECT t, r FROM rounds WHERE t = ? AND r = ? AND r > -%d".formatted(round + 1))) {
            statement.setInt(1, thread);
            statement.setInt(2, round);
            try (ResultSet row = statement.executeQuery()) {
                assertRow(row, thread, round);
            }
        }
    }

    private static void update(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement =
                shared.prepareStatement("UPDATE counted SET n = n + 1 WHERE t = ? AND i <= ?")) {
            statement.setInt(1, thread);
            statement.setInt(2, 1 + thread);
            assertThat(statement.executeUpdate()).isEqualTo(1 + thread);
        }
    }

    private static void batch(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement = shared.prepareStatement("INSERT INTO batched VALUES (?, ?, ?)")) {
            for (int i = 0; i <= thread; i++) {
                statement.setInt(1, thread);
                statement.setInt(2, round);
                statement.setInt(3, i);
                statement.addBatch();
            }
            int[] counts = statement.executeBatch();
            assertThat(counts).hasSize(thread + 1);
            assertThat(counts).containsOnly(1);
        }
    }

    private static void script(Connection shared, int thread, int round) throws SQLException {
        try (Statement statement = shared.createStatement()) {
            statement.addBatch("INSERT INTO batched VALUES (%d, %d, 100)".formatted(thread, round));
            statement.addBatch("DELETE FROM batched WHERE t = %d AND r = %d AND i = 101".formatted(thread, round));
            assertThat(statement.executeBatch()).containsExactly(1, 0);
        }
    }

    private static void keys(Connection shared, int thread, int round) throws SQLException {
        int key;
        try (PreparedStatement statement =
                shared.prepareStatement("INSERT INTO keyed (t, r) VALUES (?, ?)", Statement.RETURN_GENERATED_KEYS)) {
            statement.setInt(1, thread);
            statement.setInt(2, round);
            assertThat(statement.executeUpdate()).isEqualTo(1);
            try (ResultSet keys = statement.getGeneratedKeys()) {
                assertThat(keys.next()).isTrue();
                key = keys.getInt(1);
            }
        }
        try (PreparedStatement statement = shared.prepareStatement("SELECT t, r FROM keyed WHERE id = ?")) {
            statement.setInt(1, key);
            try (ResultSet row = statement.executeQuery()) {
                assertRow(row, thread, round);
            }
        }
    }

    /** Writes and reads a value that is sent in several pieces, in every tenth round. */
    private static void large(Connection shared, int thread, int round) throws SQLException {
        if (round % 10 != 0) {
            return;
        }
        byte[] value = new byte[Protocol.PIECE + 10_000 + thread];
        Arrays.fill(value, (byte) (thread * 16 + round / 10));
        try (PreparedStatement statement = shared.prepareStatement("UPDATE large SET v = ? WHERE t = ?")) {
            statement.setBytes(1, value);
            statement.setInt(2, thread);
            assertThat(statement.executeUpdate()).isEqualTo(1);
        }
        try (PreparedStatement statement = shared.prepareStatement("SELECT v FROM large WHERE t = ?")) {
            statement.setInt(1, thread);
            try (ResultSet row = statement.executeQuery()) {
                assertThat(row.next()).isTrue();
                assertThat(Arrays.equals(row.getBytes(1), value)).isTrue();
            }
        }
    }

    private static PreparedStatement lines(Connection shared, int thread) throws SQLException {
        PreparedStatement statement = shared.prepareStatement("SELECT t, i, v FROM listed WHERE t = ? ORDER BY i");
        statement.setInt(1, thread);
        return statement;
    }

    private static void streaming(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement = lines(shared, thread)) {
            statement.setFetchSize(3 + thread % 3);
            try (ResultSet rows = statement.executeQuery()) {
                for (int i = 1; i <= LINES; i++) {
                    assertThat(rows.next()).isTrue();
                    assertLine(rows, thread, i);
                }
                assertThat(rows.next()).isFalse();
            }
        }
    }

    private static void assertLine(ResultSet rows, int thread, int i) throws SQLException {
        assertThat(rows.getInt(1)).isEqualTo(thread);
        assertThat(rows.getInt(2)).isEqualTo(i);
        assertThat(rows.getString(3)).isEqualTo("line %d of %d".formatted(i, thread));
    }

    private static void streamingClosedEarly(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement = lines(shared, thread)) {
            statement.setFetchSize(2);
            ResultSet rows = statement.executeQuery();
            for (int i = 1; i <= 3; i++) {
                assertThat(rows.next()).isTrue();
                assertLine(rows, thread, i);
            }
            rows.close();
        }
    }

    private static void scrolling(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement = shared.prepareStatement(
                "SELECT t, i, v FROM listed WHERE t = ? ORDER BY i",
                ResultSet.TYPE_SCROLL_INSENSITIVE,
                ResultSet.CONCUR_READ_ONLY)) {
            statement.setInt(1, thread);
            try (ResultSet rows = statement.executeQuery()) {
                assertThat(rows.last()).isTrue();
                assertLine(rows, thread, LINES);
                assertThat(rows.absolute(1 + thread)).isTrue();
                assertLine(rows, thread, 1 + thread);
            }
        }
    }

    private static void updatable(Connection shared, int thread, int round) throws SQLException {
        try (Statement statement = shared.createStatement(ResultSet.TYPE_FORWARD_ONLY, ResultSet.CONCUR_UPDATABLE);
                ResultSet row = statement.executeQuery("SELECT t, r FROM edited WHERE t = %d".formatted(thread))) {
            assertThat(row.next()).isTrue();
            row.updateInt("r", round);
            row.updateRow();
            assertThat(row.getInt("t")).isEqualTo(thread);
            assertThat(row.getInt("r")).isEqualTo(round);
        }
    }

    private static void call(Connection shared, int thread, int round) throws SQLException {
        try (CallableStatement call = shared.prepareCall("{? = call twice(?)}")) {
            call.registerOutParameter(1, Types.INTEGER);
            call.setInt(2, thread * 10_000 + round);
            call.execute();
            assertThat(call.getInt(1)).isEqualTo(2 * (thread * 10_000 + round));
        }
    }

    private static void resultMetaData(Connection shared, int thread, int round) throws SQLException {
        String table = table(thread);
        try (Statement statement = shared.createStatement();
                ResultSet rows = statement.executeQuery("SELECT * FROM %s".formatted(table))) {
            assertThat(rows.getMetaData().getTableName(1)).isEqualTo(table);
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(1 + thread);
        }
    }

    /** Returns the table of a thread, which has a column more than that of the thread before. */
    static String table(int thread) {
        return "described_" + thread;
    }

    /** Returns the columns of a thread's table. */
    static String columns(int thread) {
        return String.join(
                ", ",
                IntStream.rangeClosed(0, thread)
                        .mapToObj(i -> "c%d int".formatted(i))
                        .toList());
    }

    private static void databaseMetaData(Connection shared, int thread, int round) throws SQLException {
        int count = 0;
        try (ResultSet columns = shared.getMetaData().getColumns(shared.getCatalog(), null, table(thread), null)) {
            while (columns.next()) {
                assertThat(columns.getString("TABLE_NAME")).isEqualTo(table(thread));
                assertThat(columns.getString("COLUMN_NAME")).isEqualTo("c" + count++);
            }
        }
        assertThat(count).isEqualTo(1 + thread);
        assertThat(shared.getMetaData().getMaxColumnNameLength()).isGreaterThan(60);
    }

    private static void preparedMetaData(Connection shared, int thread, int round) throws SQLException {
        try (PreparedStatement statement =
                shared.prepareStatement("SELECT * FROM %s WHERE c0 = ?".formatted(table(thread)))) {
            assertThat(statement.getMetaData().getColumnCount()).isEqualTo(1 + thread);
            assertThat(statement.getParameterMetaData().getParameterCount()).isEqualTo(1);
        }
    }
}
