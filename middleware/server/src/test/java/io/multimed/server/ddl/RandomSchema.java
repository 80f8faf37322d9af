// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.ddl;

import io.multimed.engine.conformance.Sql;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Makes random changes of the definitions and rows of a few tables. Engines refuse some of these changes (a value that
 * does not fit, a duplicate key); the remaining changes must be the same on all nodes.
 */
public final class RandomSchema {
    private static final List<String> TYPES = List.of(
            "INT DEFAULT 7",
            "INT",
            "VARCHAR(20) DEFAULT 'new'",
            "VARCHAR(30)",
            "DECIMAL(12, 3) DEFAULT 0.5",
            "DATE",
            "BIGINT NOT NULL DEFAULT 3",
            "DOUBLE PRECISION");

    private final Random random;
    private final String changeType;
    private final List<String> tables = new ArrayList<>(List.of("one", "two", "three"));
    private int names;

    /** Errors that must not occur, because the syntax of the statements is correct. */
    private static final Set<String> WRONG =
            new HashSet<>(List.of("42601", "0A000", "XX000", "HY000", "08007", "08006", "40001"));

    /** @param changeType SQL that changes the type of a column, with placeholders for table, column and type */
    public RandomSchema(long seed, String changeType) {
        this.random = new Random(seed);
        this.changeType = changeType;
    }

    public List<String> tables() {
        return tables;
    }

    public void create(Connection connection) throws SQLException {
        for (String table : tables) {
            String key = table.equals("three") ? "" : " PRIMARY KEY";
            Sql.run(connection, "CREATE TABLE %s (id INT%s, a VARCHAR(20))".formatted(table, key));
        }
    }

    /** Changes the definition of a table. */
    public void alter(Connection connection) throws SQLException {
        int index = random.nextInt(tables.size());
        String table = tables.get(index);
        List<String> columns = columns(connection, table);
        String column = columns.get(random.nextInt(columns.size()));
        String name = "n" + ++names;
        switch (random.nextInt(13)) {
            case 0, 1, 2 -> attempt(connection, "ALTER TABLE %s ADD COLUMN %s %s".formatted(table, name, type()));
            case 3 -> {
                if (columns.size() > 1) { // PostgreSQL would leave a table without any
                    attempt(connection, "ALTER TABLE %s DROP COLUMN %s".formatted(table, column));
                }
            }
            case 4 -> attempt(connection, "ALTER TABLE %s RENAME COLUMN %s TO %s".formatted(table, column, name));
            case 5 -> attempt(connection, "ALTER TABLE %s ALTER COLUMN %s SET DEFAULT '9'".formatted(table, column));
            case 6 -> attempt(connection, "ALTER TABLE %s ALTER COLUMN %s DROP DEFAULT".formatted(table, column));
            case 7 -> attempt(connection, changeType.formatted(table, column, "VARCHAR(60)"));
            case 8 -> attempt(connection, "CREATE INDEX %s ON %s (%s)".formatted(name, table, column));
            case 9 -> attempt(connection, "CREATE UNIQUE INDEX %s ON %s (%s)".formatted(name, table, column));
            case 10 -> {
                if (attempt(connection, "ALTER TABLE %s RENAME TO %s".formatted(table, name))) {
                    tables.set(index, name);
                }
            }
            case 11 -> attempt(connection, "TRUNCATE TABLE " + table);
            default -> {
                if (attempt(connection, "CREATE TABLE %s AS SELECT * FROM %s".formatted(name, table))
                        && attempt(connection, "DROP TABLE " + table)) {
                    tables.set(index, name);
                }
            }
        }
    }

    /** Changes rows of a table. */
    public void change(Connection connection) throws SQLException {
        String table = tables.get(random.nextInt(tables.size()));
        List<String> columns = columns(connection, table);
        String column = columns.get(random.nextInt(columns.size()));
        String key = columns.get(0);
        switch (random.nextInt(4)) {
            case 0, 1 -> {
                String all = String.join(", ", columns);
                String values = String.join(
                        ", ",
                        columns.stream()
                                .map(each -> "'" + random.nextInt(50) + "'")
                                .toList());
                if (columns.size() < 8 && random.nextBoolean()) {
                    attempt(connection, "INSERT INTO %s (%s) VALUES (%s)".formatted(table, all, values));
                } else {
                    attempt(connection, "INSERT INTO %s (%s) VALUES ('%d')".formatted(table, key, random.nextInt(50)));
                }
            }
            case 2 ->
                attempt(
                        connection,
                        "UPDATE %s SET %s = '%d' WHERE %s = '%d'"
                                .formatted(table, column, random.nextInt(50), key, random.nextInt(50)));
            default -> attempt(connection, "DELETE FROM %s WHERE %s = '%d'".formatted(table, key, random.nextInt(50)));
        }
    }

    private String type() {
        return TYPES.get(random.nextInt(TYPES.size()));
    }

    private static List<String> columns(Connection connection, String table) throws SQLException {
        List<String> columns = new ArrayList<>();
        try (ResultSet found = connection.getMetaData().getColumns(connection.getCatalog(), null, table, "%")) {
            while (found.next()) {
                columns.add(found.getString("COLUMN_NAME"));
            }
        }
        return columns;
    }

    private static boolean attempt(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
            return true;
        } catch (SQLException e) {
            String state = String.valueOf(e.getSQLState());
            boolean dataDoesNotFit =
                    state.equals("HY000") && e.getErrorCode() != 0; // some engines' word for many an error of their own
            if (WRONG.contains(state) && !dataDoesNotFit) {
                throw new SQLException(sql + ": " + e.getMessage(), state, e);
            }
            return false;
        }
    }
}
