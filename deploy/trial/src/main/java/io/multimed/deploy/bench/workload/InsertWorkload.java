// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.workload;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Record insertion: each client inserts rows into a table of its own, which has an index, so that clients do not
 * contend for rows or locks (the Shore-MT paper, §3.2). One operation is a transaction of several rows, sent in one
 * batch.
 *
 * @param clients number of clients, and of tables
 * @param rows rows of a transaction
 */
public record InsertWorkload(int clients, int rows) implements Workload {
    private static final int FILLER = 100;

    /** Keys of all clients of this process; no key is used twice. */
    private static final AtomicLong NEXT = new AtomicLong(System.currentTimeMillis() << 20);

    /** Creates the tables again: they would grow from run to run otherwise. */
    @Override
    public void prepare(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (int i = 0; i < clients; i++) {
                statement.execute("DROP TABLE IF EXISTS bench_insert_" + i);
                statement.execute("CREATE TABLE bench_insert_%d (id bigint PRIMARY KEY, filler varchar(%d) NOT NULL)"
                        .formatted(i, FILLER));
            }
        }
    }

    @Override
    public Workload.Client open(Connection connection, int number) throws SQLException {
        connection.setAutoCommit(false);
        PreparedStatement insert =
                connection.prepareStatement("INSERT INTO bench_insert_%d VALUES (?, ?)".formatted(number));
        return new Client(connection, insert);
    }

    private final class Client implements Workload.Client {
        private final Connection connection;
        private final PreparedStatement insert;
        private final String filler = "x".repeat(FILLER);

        Client(Connection connection, PreparedStatement insert) {
            this.connection = connection;
            this.insert = insert;
        }

        @Override
        public void execute() throws SQLException {
            try {
                long first = NEXT.getAndAdd(rows);
                for (int i = 0; i < rows; i++) {
                    insert.setLong(1, first + i);
                    insert.setString(2, filler);
                    insert.addBatch();
                }
                insert.executeBatch();
                connection.commit();
            } catch (SQLException e) {
                Transactions.abandon(connection, e);
                throw e;
            }
        }

        @Override
        public void close() throws SQLException {
            insert.close();
        }
    }
}
