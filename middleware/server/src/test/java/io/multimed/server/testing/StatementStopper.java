// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Continuously cancels the statements on the master that contain one of the given words, until it is closed. */
public final class StatementStopper implements AutoCloseable {
    private static final Map<String, String> RUNNING = Map.of(
            "postgresql",
            "SELECT 'SELECT pg_cancel_backend(' || pid || ')' FROM pg_stat_activity WHERE state = 'active' AND query ~ '%s' AND pid <> pg_backend_pid()");

    private static final String RUNNING_ELSEWHERE =
            "SELECT CONCAT('KILL QUERY ', ID) FROM information_schema.PROCESSLIST WHERE INFO REGEXP '%s' AND ID <> CONNECTION_ID()";

    private final TestCluster cluster;
    private final String running;
    private final AtomicBoolean done = new AtomicBoolean();
    private final CompletableFuture<Integer> work;

    /** @param words with | between */
    public StatementStopper(TestCluster cluster, String words) {
        this.cluster = cluster;
        this.running = RUNNING.getOrDefault(cluster.engine("master").node().engine(), RUNNING_ELSEWHERE)
                .formatted(words);
        this.work = CompletableFuture.supplyAsync(this::stop);
    }

    private int stop() {
        int stopped = 0;
        try (Connection master = cluster.direct("master");
                Statement statement = master.createStatement()) {
            while (!done.get()) {
                for (String order : orders(statement)) {
                    stopped += obeys(statement, order) ? 1 : 0;
                }
            }
            return stopped;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private List<String> orders(Statement statement) throws SQLException {
        List<String> orders = new ArrayList<>();
        try (ResultSet found = statement.executeQuery(running)) {
            while (found.next()) {
                orders.add(found.getString(1));
            }
        }
        return orders;
    }

    private static boolean obeys(Statement statement, String order) {
        try {
            statement.execute(order);
            return true;
        } catch (SQLException e) {
            return false; // the session is gone
        }
    }

    /** Ends the canceling and returns the number of cancels. */
    public int end() {
        done.set(true);
        return work.join();
    }

    @Override
    public void close() {
        end();
    }
}
