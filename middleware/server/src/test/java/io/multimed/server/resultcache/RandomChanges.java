// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.resultcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.server.resultcache.Table.Column;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Changes tables at random over one connection: single columns, keys, many rows, transactions that are undone. */
final class RandomChanges {
    /** Above the size of a row, and of a WriteSet, that is passed on as one text. */
    private static final int LARGE = 200_000;

    private final Random random;
    private final List<Table> tables;
    private final Connection client;

    RandomChanges(Random random, List<Table> tables, Connection client) {
        this.random = random;
        this.tables = tables;
        this.client = client;
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static Column key(Table table) {
        return table.columns().get(0);
    }

    private @Nullable Object value(Column column, Table table) {
        boolean mayBeNull = !(table.hasKey() && column.equals(key(table)));
        return mayBeNull && random.nextInt(8) == 0 ? null : column.values().stored(random);
    }

    /** Runs a change that may violate a constraint; returns whether it did. */
    private boolean update(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = client.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            statement.executeUpdate();
            return true;
        } catch (SQLException e) {
            assertThat(e.getSQLState()).as(sql).matches("23...|22...");
            return false;
        }
    }

    /** Fills a table that is empty. */
    void fill(Table table) throws SQLException {
        for (int i = 0; i < Values.KEYS; i++) {
            insert(table);
        }
    }

    /** Makes one change, which is committed or undone when the method returns. */
    void change() throws SQLException {
        if (random.nextInt(8) == 0) {
            transaction();
        } else {
            step();
        }
    }

    private boolean step() throws SQLException {
        Table table = any(tables);
        return switch (random.nextInt(20)) {
            case 0, 1, 2 -> insert(table);
            case 3, 4 ->
                update(
                        "DELETE FROM %s WHERE %s = ?"
                                .formatted(table.name(), key(table).name()),
                        key(table).values().stored(random));
            case 5 -> deleteBy(table);
            case 6 -> moveKey(table);
            case 7 -> updateBy(table);
            case 8 -> update("UPDATE %s SET a = book_id, book_id = a".formatted(any(List.of("item", "sale"))));
            case 9 -> insertSelected();
            case 10 -> large();
            default -> updateOne(table);
        };
    }

    private boolean insert(Table table) throws SQLException {
        List<Column> columns = table.columns();
        return update(
                "INSERT INTO %s (%s) VALUES (%s)"
                        .formatted(
                                table.name(),
                                columns.stream().map(Column::name).collect(Collectors.joining(", ")),
                                "?, ".repeat(columns.size() - 1) + "?"),
                columns.stream().map(each -> value(each, table)).toArray());
    }

    /** Changes exactly one column of one row. */
    private boolean updateOne(Table table) throws SQLException {
        Column column = any(table.columns());
        return update(
                "UPDATE %s SET %s = ? WHERE %s = ?"
                        .formatted(table.name(), column.name(), key(table).name()),
                value(column, table),
                key(table).values().stored(random));
    }

    /** Changes the rows with a value in a column: that column, or another one. */
    private boolean updateBy(Table table) throws SQLException {
        Column column = any(table.columns());
        Column by = random.nextInt(3) == 0 ? column : any(table.columns());
        return update(
                "UPDATE %s SET %s = ? WHERE %s = ?".formatted(table.name(), column.name(), by.name()),
                value(column, table),
                by.values().stored(random));
    }

    private boolean deleteBy(Table table) throws SQLException {
        Column by = any(table.columns());
        return update(
                "DELETE FROM %s WHERE %s = ?".formatted(table.name(), by.name()),
                by.values().stored(random));
    }

    private boolean moveKey(Table table) throws SQLException {
        String key = key(table).name();
        return update(
                "UPDATE %s SET %s = ? WHERE %s = ?".formatted(table.name(), key, key),
                random.nextInt(Values.KEYS),
                random.nextInt(Values.KEYS));
    }

    private boolean insertSelected() throws SQLException {
        return random.nextBoolean()
                ? update("INSERT INTO loose (a, c, book_id) SELECT a, c, id FROM book WHERE a = ?", random.nextInt(3))
                : update("DELETE FROM loose");
    }

    /** Gives a row a text that is passed on in pieces, or removes such texts. */
    private boolean large() throws SQLException {
        return switch (random.nextInt(6)) {
            case 0 -> update("UPDATE wide SET c = ? WHERE id = ?", "v".repeat(LARGE), random.nextInt(3));
            case 1 -> update("UPDATE wide SET a = ? WHERE id = ?", random.nextInt(Values.KEYS), random.nextInt(3));
            default -> update("UPDATE wide SET c = 'v1' WHERE id = ?", random.nextInt(3));
        };
    }

    /** Several changes that are committed or undone together, or in part. */
    private void transaction() throws SQLException {
        client.setAutoCommit(false);
        boolean good = steps();
        if (good && random.nextInt(3) == 0) {
            Savepoint savepoint = client.setSavepoint();
            if (!steps() || random.nextBoolean()) {
                client.rollback(savepoint);
            }
            good = steps();
        }
        if (good && random.nextInt(3) > 0) {
            client.commit();
        } else {
            client.rollback();
        }
        client.setAutoCommit(true);
    }

    private boolean steps() throws SQLException {
        int count = 1 + random.nextInt(4);
        for (int i = 0; i < count; i++) {
            if (!step()) {
                return false; // an engine may refuse everything up to the rollback
            }
        }
        return true;
    }

    /** Removes all rows of a table at once. */
    void truncate() throws SQLException {
        Table table = any(tables);
        execute("TRUNCATE TABLE " + table.name());
        fill(table);
    }

    void execute(String... statements) throws SQLException {
        try (Statement statement = client.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
