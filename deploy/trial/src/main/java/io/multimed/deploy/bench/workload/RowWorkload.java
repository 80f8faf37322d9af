// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Reads and updates of single rows, alone or in transactions. Clients update disjoint rows, so that no update waits for
 * a lock.
 *
 * @param rows rows of the table, divided among the clients
 */
public record RowWorkload(Operation operation, int rows, int clients) implements Workload {
    /** Name of the table. */
    public static final String TABLE = "bench_rows";

    private static final String UPDATE = "UPDATE " + TABLE + " SET counter = counter + 1 WHERE id = ?";
    private static final String SELECT = "SELECT counter, filler FROM " + TABLE + " WHERE id = ?";
    private static final String RANGE = "SELECT counter, filler FROM " + TABLE + " WHERE id >= ? AND id < ?";

    /** Number of rows of a range, and of a result of about 1 MB. */
    private static final int RANGE_ROWS = 100;

    private static final int LARGE_ROWS = 10_000;

    /** The content of one execution. */
    public enum Operation {
        /** A read of one row by its key. */
        READ(false, false),
        /** A read of 100 rows with consecutive keys. */
        READ100(false, false),
        /** A read of 10,000 rows with consecutive keys, about 1 MB. */
        READ10000(false, false),
        /** An update of one row, in auto-commit. */
        COMMIT(false, false),
        /** A transaction of three updates of one row each. */
        UPDATES3(true, false),
        /** A transaction of a read and two updates of one row each. */
        MIXED3(true, false),
        /** A read-only transaction of three reads of one row each. */
        READS3(true, true),
        /** A transaction without statements. In SQL, because drivers send nothing for an empty JDBC transaction. */
        EMPTY(false, false);

        private final boolean transaction;
        private final boolean readOnly;

        Operation(boolean transaction, boolean readOnly) {
            this.transaction = transaction;
            this.readOnly = readOnly;
        }
    }

    /** @throws IllegalArgumentException if the table has fewer rows than the operation needs */
    public RowWorkload {
        int range = range(operation);
        if (rows < range) {
            throw new IllegalArgumentException("read%d needs at least %d rows".formatted(range, range));
        }
    }

    /** Returns the number of rows that the operation reads at once, if it reads a range; otherwise 0. */
    private static int range(Operation operation) {
        return switch (operation) {
            case READ100 -> RANGE_ROWS;
            case READ10000 -> LARGE_ROWS;
            case READ, COMMIT, UPDATES3, MIXED3, READS3, EMPTY -> 0;
        };
    }

    @Override
    public void prepare(Connection connection) throws SQLException {
        BenchTable.ensure(connection, rows);
    }

    @Override
    public Workload.Client open(Connection connection, int number) throws SQLException {
        connection.setReadOnly(operation.readOnly);
        connection.setAutoCommit(!operation.transaction);
        return new Client(
                connection,
                connection.prepareStatement(UPDATE),
                connection.prepareStatement(range(operation) > 0 ? RANGE : SELECT),
                number);
    }

    private final class Client implements Workload.Client {
        private final Connection connection;
        private final PreparedStatement update;
        private final PreparedStatement select;
        private final SplittableRandom random;
        private final int share = rows / clients;
        private final int first;

        Client(Connection connection, PreparedStatement update, PreparedStatement select, int number) {
            this.connection = connection;
            this.update = update;
            this.select = select;
            this.random = new SplittableRandom(number);
            this.first = number * share + 1;
        }

        @Override
        public void execute() throws SQLException {
            try {
                perform();
                if (operation.transaction) {
                    connection.commit();
                }
            } catch (SQLException e) {
                Transactions.abandon(connection, e);
                throw e;
            }
        }

        private void perform() throws SQLException {
            switch (operation) {
                case READ -> read(any());
                case READ100, READ10000 -> readRange(1 + random.nextInt(rows - range(operation) + 1));
                case COMMIT -> update(own(1)[0]);
                case UPDATES3 -> {
                    for (int id : own(3)) {
                        update(id);
                    }
                }
                case MIXED3 -> {
                    read(any());
                    for (int id : own(2)) {
                        update(id);
                    }
                }
                case READS3 -> {
                    for (int i = 0; i < 3; i++) {
                        read(any());
                    }
                }
                case EMPTY -> {
                    control("BEGIN");
                    control("COMMIT");
                }
            }
        }

        private void control(String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        private int any() {
            return 1 + random.nextInt(rows);
        }

        /** Returns keys of rows that no other client updates, in ascending order. */
        private int[] own(int count) {
            int[] ids = new int[count];
            for (int i = 0; i < count; i++) {
                ids[i] = first + random.nextInt(share);
            }
            Arrays.sort(ids);
            return ids;
        }

        private void update(int id) throws SQLException {
            update.setInt(1, id);
            require(update.executeUpdate() == 1, id);
        }

        private void read(int id) throws SQLException {
            select.setInt(1, id);
            require(readAll() == 1, id);
        }

        private void readRange(int from) throws SQLException {
            select.setInt(1, from);
            select.setInt(2, from + range(operation));
            require(readAll() == range(operation), from);
        }

        private int readAll() throws SQLException {
            int found = 0;
            try (ResultSet row = select.executeQuery()) {
                while (row.next()) {
                    row.getInt(1);
                    row.getString(2);
                    found++;
                }
            }
            return found;
        }

        private static void require(boolean found, int id) throws SQLException {
            if (!found) {
                throw new SQLException("row %d is missing".formatted(id), "02000");
            }
        }

        @Override
        public void close() throws SQLException {
            update.close();
            select.close();
        }
    }
}
