// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.result;

import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.mysql.schema.Column;
import io.multimed.engine.mysql.sql.MySqlReader;
import io.multimed.engine.sql.SqlText;
import java.io.InputStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes long values. The statement's text contains markers in their place: in the text, a value would exist several
 * times, twice as long. The engine prepares the text and receives the values before execution, piece by piece. An
 * instance is used for one statement.
 */
public final class LongStatement {
    /** Length in bytes above which a value counts as long. */
    private static final int LONG = 1 << 20;

    private static final Set<String> CHANGES = Set.of("INSERT", "REPLACE", "UPDATE", "DELETE");

    /** Error number: the engine cannot prepare this statement. */
    private static final int NOT_FOR_PREPARED = 1295;

    private static final MySqlReader READER = new MySqlReader();

    private final List<String> values = new ArrayList<>();

    /**
     * Prepares a client's statement on the server. Empty for statements that return rows, because a prepared statement
     * returns them in another format, and for those that the engine cannot prepare.
     *
     * @param keys whether generated keys are requested
     */
    static Optional<PreparedStatement> prepare(Connection connection, String sql, boolean keys) throws SQLException {
        SqlText text = READER.read(sql);
        if (!CHANGES.contains(text.word(0)) || text.has("RETURNING")) {
            return Optional.empty();
        }
        JdbcConnection driver = connection.unwrap(JdbcConnection.class);
        try {
            return Optional.of(driver.serverPrepareStatement(
                    sql, keys ? Statement.RETURN_GENERATED_KEYS : Statement.NO_GENERATED_KEYS));
        } catch (SQLException e) {
            if (e.getErrorCode() == NOT_FOR_PREPARED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Returns whether a row is so long that it may contain a long value. */
    public static boolean isFor(String row) {
        return row.length() > LONG;
    }

    /**
     * Returns a captured value in SQL: a literal, or a marker. The calls must have the order of the values in the
     * statement.
     */
    public String literal(Column column, @Nullable String captured) {
        String marker = captured == null || captured.length() <= LONG
                ? ""
                : column.kind().marker(captured);
        if (captured == null || marker.isEmpty()) {
            return column.literal(captured);
        }
        values.add(captured);
        return marker;
    }

    /**
     * Runs the statement.
     *
     * @param sql the text with the markers that {@link #literal} has returned
     * @throws SQLException XX001 if the statement did not change exactly one row
     */
    public void execute(Connection satellite, String sql) throws SQLException {
        try (PreparedStatement statement =
                satellite.unwrap(JdbcConnection.class).serverPrepareStatement(sql)) {
            for (int i = 0; i < values.size(); i++) {
                String value = values.get(i);
                statement.setBinaryStream(i + 1, new Bytes(value), value.length());
            }
            if (statement.executeUpdate() != 1) {
                throw new SQLException(
                        "a table is not as the master had it: no changed row found by %.200s".formatted(sql), "XX001");
            }
        }
    }

    /** Reads a captured text as bytes, one for each character. */
    private static final class Bytes extends InputStream {
        private final String text;
        private int at;

        Bytes(String text) {
            this.text = text;
        }

        @Override
        public int read() {
            return at == text.length() ? -1 : text.charAt(at++);
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (at == text.length()) {
                return -1;
            }
            int count = Math.min(length, text.length() - at);
            for (int i = 0; i < count; i++) {
                target[offset + i] = (byte) text.charAt(at + i);
            }
            at += count;
            return count;
        }
    }
}
