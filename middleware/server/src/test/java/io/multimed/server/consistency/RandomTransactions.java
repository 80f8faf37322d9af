// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.Date;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Runs random transactions of one client on separate rows, in SQL that every engine supports, and keeps the expected
 * rows in memory. Transactions end by commit or rollback, roll back to savepoints, fail and continue; single statements
 * run in auto-commit. If locks of another client make the engine undo changes, this class also undoes the changes in
 * memory.
 */
final class RandomTransactions {
    /** keyed: rows by key; paired: by part of a key; loose: rows without a key, with possible duplicates. */
    static final String[] TABLES = {
        "CREATE TABLE keyed (id INT PRIMARY KEY, a VARCHAR(100), n DECIMAL(20, 5), d DOUBLE PRECISION, day DATE)",
        "CREATE TABLE paired (x INT, y INT, v TEXT, PRIMARY KEY (x, y))",
        "CREATE TABLE loose (owner INT, v VARCHAR(100))"
    };

    private static final List<String> TEXTS =
            List.of("", "a", "A", " a ", "it's", "back\\slash", "\"q\"", "ä\u20ac", "\ud83d\ude00", "a\nb\tc", "NULL");
    private static final int KEYS = 40;

    /** Number of statements and results that a failure reports. */
    private static final int REMEMBERED = 100;

    private final int client;
    private final Random random;
    private final List<String> last = new ArrayList<>();
    private State state = new State(new TreeMap<>(), new TreeMap<>(), new ArrayList<>());

    /** Rows by their texts; copied where a transaction or a savepoint begins. */
    private record State(Map<Integer, String> keyed, Map<Integer, String> paired, List<String> loose) {
        State copy() {
            return new State(new TreeMap<>(keyed), new TreeMap<>(paired), new ArrayList<>(loose));
        }
    }

    RandomTransactions(int client, long seed) {
        this.client = client;
        this.random = new Random(seed * 31 + client);
    }

    /** Returns the expected rows of all tables, each with the name of the table and then the columns. */
    List<String> rows() {
        List<String> rows = new ArrayList<>();
        state.keyed.forEach((id, rest) -> rows.add("keyed|" + id + "|" + rest));
        state.paired.forEach((y, v) -> rows.add("paired|" + client + "|" + y + "|" + v));
        state.loose.forEach(v -> rows.add("loose|" + client + "|" + v));
        return rows;
    }

    /** Returns a value in the format of {@link #rows}. */
    static String text(@Nullable Object value) {
        return value instanceof BigDecimal number ? number.toPlainString() : String.valueOf(value);
    }

    void run(Connection connection, int transactions) throws SQLException {
        for (int i = 0; i < transactions; i++) {
            State before = state.copy();
            try {
                if (random.nextInt(3) == 0) {
                    connection.setAutoCommit(true);
                    step(connection);
                } else {
                    connection.setAutoCommit(false);
                    transaction(connection, before);
                }
            } catch (SQLException e) {
                if (!String.valueOf(e.getSQLState()).startsWith("40")) {
                    throw e;
                }
                last.add("lost by " + e.getSQLState() + ' ' + e.getMessage());
                if (!connection.getAutoCommit()) {
                    state = before; // all completed statements keep their effect
                    connection.rollback();
                }
            }
            if (random.nextInt(3) == 0) {
                look(connection);
            }
        }
        connection.setAutoCommit(true);
    }

    private void transaction(Connection connection, State before) throws SQLException {
        int steps = 1 + random.nextInt(6);
        for (int i = 0; i < steps; i++) {
            switch (random.nextInt(8)) {
                case 0 -> undoPart(connection);
                case 1 -> meetAnError(connection);
                default -> step(connection);
            }
        }
        if (random.nextInt(5) == 0) {
            connection.rollback();
            last.add("ROLLBACK");
            state = before;
        } else {
            connection.commit();
            last.add("COMMIT");
        }
    }

    private void undoPart(Connection connection) throws SQLException {
        Savepoint savepoint = connection.setSavepoint("part");
        last.add("SAVEPOINT part");
        State here = state.copy();
        step(connection);
        step(connection);
        if (random.nextBoolean()) {
            connection.rollback(savepoint);
            last.add("ROLLBACK TO part");
            state = here;
        }
        connection.releaseSavepoint(savepoint);
        step(connection);
    }

    /** Reads the results of the earlier transactions on any node, in auto-commit or in a read-only transaction. */
    private void look(Connection connection) throws SQLException {
        boolean alone = random.nextBoolean();
        connection.setAutoCommit(alone);
        connection.setReadOnly(true);
        List<String> loose = texts(connection, "SELECT v FROM loose WHERE owner = ?");
        int paired = number(connection, "SELECT count(*) FROM paired WHERE x = ?");
        List<String> keyed = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(
                "SELECT id, a, n, d, day FROM keyed WHERE id >= ? AND id < ? ORDER BY id")) {
            statement.setInt(1, client * 1_000);
            statement.setInt(2, client * 1_000 + 1_000);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    keyed.add(String.join(
                            "|",
                            text(rows.getObject(1)),
                            text(rows.getObject(2)),
                            text(rows.getObject(3)),
                            text(rows.getObject(4)),
                            text(rows.getObject(5))));
                }
            }
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        connection.setReadOnly(false);
        last.add("looked");
        String told = "client %d, %s reads, last %s"
                .formatted(client, alone ? "auto-commit" : "transaction's", String.join("; ", last));
        assertThat(loose).as("loose, %s", told).containsExactlyInAnyOrderElementsOf(state.loose);
        assertThat(paired).as("paired, %s", told).isEqualTo(state.paired.size());
        List<String> expected = new ArrayList<>();
        state.keyed.forEach((id, rest) -> expected.add(id + "|" + rest));
        assertThat(keyed).as("keyed, %s", told).isEqualTo(expected);
    }

    private List<String> texts(Connection connection, String query) throws SQLException {
        List<String> texts = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setInt(1, client);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
        }
        return texts;
    }

    private int number(Connection connection, String query) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setInt(1, client);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** A statement of several rows that fails at the last one. */
    private void meetAnError(Connection connection) throws SQLException {
        if (state.keyed.isEmpty()) {
            return;
        }
        int taken = state.keyed.keySet().iterator().next();
        Savepoint savepoint = connection.setSavepoint("error");
        try {
            change(connection, "INSERT INTO keyed (id, a) VALUES (?, 'x'), (?, 'y')", key() + KEYS, taken);
            throw new AssertionError("key " + taken + " was there twice");
        } catch (SQLException e) {
            if (!String.valueOf(e.getSQLState()).startsWith("23")) {
                throw e;
            }
            connection.rollback(savepoint);
        }
        connection.releaseSavepoint(savepoint);
    }

    private void step(Connection connection) throws SQLException {
        switch (random.nextInt(9)) {
            case 0, 1, 2 -> put(connection);
            case 3 -> rekey(connection);
            case 4 -> {
                int id = key();
                change(connection, "DELETE FROM keyed WHERE id = ?", id);
                state.keyed.remove(id);
            }
            case 5 -> pair(connection);
            case 6 -> {
                int y = random.nextInt(5);
                change(connection, "DELETE FROM paired WHERE x = ? AND y > ?", client, y);
                state.paired.keySet().removeIf(other -> other > y);
            }
            case 7 -> {
                String v = randomText();
                for (int i = 0; i < 1 + random.nextInt(3); i++) {
                    change(connection, "INSERT INTO loose VALUES (?, ?)", client, v);
                    state.loose.add(v);
                }
            }
            default -> loosen(connection);
        }
    }

    /** Inserts a row or updates an existing row; some updates keep the value. */
    private void put(Connection connection) throws SQLException {
        int id = key();
        String a = random.nextInt(6) == 0 ? null : randomText();
        BigDecimal n = random.nextInt(6) == 0 ? null : BigDecimal.valueOf(random.nextLong() / 7, 5);
        Double d = random.nextInt(6) == 0 ? null : random.nextGaussian() * Math.pow(10, random.nextInt(30) - 15);
        LocalDate day = random.nextInt(6) == 0 ? null : LocalDate.of(1990, 1, 1).plusDays(random.nextInt(20_000));
        boolean there = state.keyed.containsKey(id);
        String sql = there
                ? "UPDATE keyed SET a = ?, n = ?, d = ?, day = ? WHERE id = ?"
                : "INSERT INTO keyed (a, n, d, day, id) VALUES (?, ?, ?, ?, ?)";
        change(connection, sql, a, n, d, day, id);
        state.keyed.put(id, String.join("|", text(a), text(n), text(d), text(day)));
        if (random.nextInt(4) == 0) {
            change(connection, "UPDATE keyed SET a = a WHERE id = ?", id);
        }
    }

    private void rekey(Connection connection) throws SQLException {
        int from = key();
        int to = key();
        if (!state.keyed.containsKey(to)) {
            change(connection, "UPDATE keyed SET id = ? WHERE id = ?", to, from);
            String moved = state.keyed.remove(from);
            if (moved != null) {
                state.keyed.put(to, moved);
            }
        }
    }

    private void pair(Connection connection) throws SQLException {
        int y = random.nextInt(10);
        String v = random.nextInt(5) == 0 ? "long ".repeat(2_000) : randomText();
        boolean there = state.paired.containsKey(y);
        change(
                connection,
                there
                        ? "UPDATE paired SET v = ? WHERE x = ? AND y = ?"
                        : "INSERT INTO paired (v, x, y) VALUES (?, ?, ?)",
                v,
                client,
                y);
        state.paired.put(y, v);
    }

    private void loosen(Connection connection) throws SQLException {
        String v = randomText();
        if (random.nextBoolean()) {
            change(
                    connection,
                    "DELETE FROM loose WHERE owner = ? AND v = 'x' OR owner = ? AND v = 'xx'",
                    client,
                    client);
            state.loose.removeIf(other -> other.equals("x") || other.equals("xx"));
        } else {
            change(connection, "UPDATE loose SET v = 'x' WHERE owner = ? AND v = 'many'", client);
            state.loose.replaceAll(other -> other.equals("many") ? "x" : other);
            change(connection, "INSERT INTO loose VALUES (?, 'many'), (?, 'many')", client, client);
            state.loose.add("many");
            state.loose.add("many");
            change(connection, "INSERT INTO loose VALUES (?, ?)", client, v);
            state.loose.add(v);
        }
    }

    private void change(Connection connection, String sql, @Nullable Object... values) throws SQLException {
        last.add(sql + Arrays.toString(values) + (connection.getAutoCommit() ? " [auto-commit]" : ""));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                Object value = values[i];
                statement.setObject(i + 1, value instanceof LocalDate day ? Date.valueOf(day) : value);
            }
            last.add("-> " + statement.executeUpdate());
        } catch (SQLException e) {
            last.add("-> " + e.getSQLState() + ' ' + e.getMessage());
            throw e;
        } finally {
            if (last.size() > REMEMBERED) {
                last.subList(0, last.size() - REMEMBERED).clear();
            }
        }
    }

    private int key() {
        return client * 1_000 + random.nextInt(KEYS);
    }

    private String randomText() {
        return TEXTS.get(random.nextInt(TEXTS.size()));
    }
}
