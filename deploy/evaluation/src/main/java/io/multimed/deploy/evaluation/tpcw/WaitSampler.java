// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.run.RoundListener;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts, ten times per second while a round is measured, what the active sessions of an engine wait for. Sessions that
 * wait for their client are not active. A session that waits for nothing is "running": it uses a core, or waits for
 * one. A sample that fails ends the comparison. Used by the thread that measures.
 */
final class WaitSampler implements RoundListener, AutoCloseable {
    private static final long MILLIS = 100;

    private final Connection connection;
    private final PreparedStatement query;

    /** Counts by event of each round that has ended. */
    private final List<Map<String, Long>> rounds = new ArrayList<>();

    private @Nullable Sampling running;

    private WaitSampler(Connection connection, PreparedStatement query) {
        this.connection = connection;
        this.query = query;
    }

    /** Connects to an engine. */
    static WaitSampler open(Target target) throws SQLException {
        Connection connection = target.connect();
        try {
            return new WaitSampler(connection, connection.prepareStatement(query(target)));
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    /** Returns the query for this engine, whose results are events and counts. */
    private static String query(Target target) throws SQLException {
        String engine = target.url().split(":", 3)[1];
        try (InputStream text = WaitSampler.class.getResourceAsStream(engine + "/waits.sql")) {
            if (text == null) {
                throw new SQLException("no query for the waits of " + engine, "0A000");
            }
            return new String(text.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new SQLException("the query for the waits cannot be read", e);
        }
    }

    /** The samples of one round, which a thread of its own takes. */
    private static final class Sampling {
        private final PreparedStatement query;
        private final CountDownLatch end = new CountDownLatch(1);
        private final Thread thread = new Thread(this::run, "wait-sampler");

        /** Counts by event, and a failure; written by the thread, read after its end. */
        private final Map<String, Long> counts = new TreeMap<>();

        private @Nullable SQLException failure;

        Sampling(PreparedStatement query) {
            this.query = query;
            thread.setDaemon(true);
        }

        private void run() {
            try {
                do {
                    sample();
                } while (!end.await(MILLIS, TimeUnit.MILLISECONDS));
            } catch (SQLException e) {
                failure = e;
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void sample() throws SQLException {
            try (ResultSet rows = query.executeQuery()) {
                while (rows.next()) {
                    counts.merge(rows.getString(1), rows.getLong(2), Long::sum);
                }
            }
        }

        Map<String, Long> stop() throws SQLException, InterruptedException {
            end.countDown();
            thread.join();
            if (failure != null) {
                throw new SQLException(
                        "the waits of the engine cannot be sampled: " + failure.getMessage(),
                        failure.getSQLState(),
                        failure);
            }
            return counts;
        }
    }

    @Override
    public void begins(int target, int round) {
        Sampling sampling = new Sampling(query);
        running = sampling;
        sampling.thread.start();
    }

    @Override
    public void ends(int target, int round) throws SQLException, InterruptedException {
        Sampling sampling = running;
        running = null;
        if (sampling != null) {
            rounds.add(sampling.stop());
        }
    }

    /**
     * Returns the share of each event in percent, with the spread of the rounds; events that are rare in all rounds are
     * one value. Rounds without an active session have no shares.
     */
    List<Value> values(String panel, String place) {
        List<Map<String, Long>> active =
                rounds.stream().filter(counts -> !counts.isEmpty()).toList();
        Set<String> events = new TreeSet<>();
        active.forEach(counts -> events.addAll(counts.keySet()));
        List<Value> values = new ArrayList<>();
        List<Double> rare = new ArrayList<>();
        active.forEach(counts -> rare.add(0.0));
        for (String event : events) {
            List<Double> shares =
                    active.stream().map(counts -> share(counts, event)).toList();
            if (shares.stream().allMatch(share -> share < 1)) {
                for (int round = 0; round < rare.size(); round++) {
                    rare.set(round, rare.get(round) + shares.get(round));
                }
            } else {
                values.add(Value.of(panel, event, place, shares));
            }
        }
        if (!active.isEmpty()) {
            values.add(Value.of(panel, "others", place, rare));
        }
        return values;
    }

    private static double share(Map<String, Long> counts, String event) {
        long all = counts.values().stream().mapToLong(count -> count).sum();
        return 100.0 * counts.getOrDefault(event, 0L) / all;
    }

    /** Stops a round that has not ended, and closes the connection. */
    @Override
    public void close() throws SQLException {
        try {
            if (running != null) {
                running.end.countDown();
                running.thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
        }
    }
}
