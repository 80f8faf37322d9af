// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.port;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** A regular client that works while others send wrong input: each of its answers must be right. */
final class HealthyClient implements Runnable {
    static final int ROWS = 20;

    private final Connection connection;
    private volatile boolean stops;
    private final AtomicInteger rounds = new AtomicInteger();

    /** @param connection used by the thread that runs this client */
    HealthyClient(Connection connection) {
        this.connection = connection;
    }

    /** Works until {@link #stop}. Fails if an answer is wrong. */
    @Override
    public void run() {
        try (Statement statement = connection.createStatement()) {
            statement.setQueryTimeout(60);
            while (!stops) {
                work(statement, rounds.get());
                rounds.incrementAndGet();
            }
        } catch (SQLException e) {
            throw new IllegalStateException("after %d rounds".formatted(rounds.get()), e);
        }
    }

    private static void work(Statement statement, int round) throws SQLException {
        int row = round % ROWS;
        expect(round / ROWS, statement, "SELECT b FROM healthy_rows WHERE a = " + row);
        int changed = statement.executeUpdate("UPDATE healthy_rows SET b = b + 1 WHERE a = " + row);
        if (changed != 1) {
            throw new IllegalStateException("%d rows were changed, not 1".formatted(changed));
        }
        expect(round / ROWS + 1, statement, "SELECT b FROM healthy_rows WHERE a = " + row);
        expect(round + 1, statement, "SELECT sum(b) FROM healthy_rows");
    }

    private static void expect(int expected, Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            int actual = rows.getInt(1);
            if (actual != expected) {
                throw new IllegalStateException("%s returned %d, not %d".formatted(sql, actual, expected));
            }
        }
    }

    void stop() {
        stops = true;
    }

    int rounds() {
        return rounds.get();
    }
}
