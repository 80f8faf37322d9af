package io.multimed.deploy.evaluation.tpcw;

import io.multimed.deploy.evaluation.figure.Value;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Counts, ten times per second, what the active sessions of an engine wait for. Sessions that wait for their client are
 * not active. A session that waits for nothing is "running": it uses a core, or waits for one.
 */
final class WaitSampler {
    private static final long MILLIS = 100;

    private final Target target;
    private final CountDownLatch end = new CountDownLatch(1);
    private final Thread thread = new Thread(this::run, "wait-sampler");

    /** Counts by event; written by the thread of the sampler, read after its end. */
    private final Map<String, Long> counts = new TreeMap<>();

    private WaitSampler(Target target) {
        this.target = target;
    }

    /** Starts to sample, on a connection and a thread of its own. */
    static WaitSampler start(Target target) {
        WaitSampler sampler = new WaitSampler(target);
        sampler.thread.setDaemon(true);
        sampler.thread.start();
        return sampler;
    }

    private void run() {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            String query = query();
            while (!end.await(MILLIS, TimeUnit.MILLISECONDS)) {
                sample(statement, query);
            }
        } catch (SQLException e) {
            counts.put("not sampled: " + e.getMessage(), 1L);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the query for this engine, whose results are events and counts. */
    private String query() throws SQLException {
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

    private void sample(Statement statement, String query) throws SQLException {
        try (ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                counts.merge(rows.getString(1), rows.getLong(2), Long::sum);
            }
        }
    }

    /** Ends the sampling, and returns the share of each event in percent; rare events are one value. */
    List<Value> stop(String panel, String place) throws InterruptedException {
        end.countDown();
        thread.join();
        double all =
                Math.max(1, counts.values().stream().mapToLong(count -> count).sum());
        List<Value> values = new ArrayList<>();
        double rare = 0;
        for (Map.Entry<String, Long> entry : counts.entrySet()) {
            double share = 100 * entry.getValue() / all;
            if (share < 1) {
                rare += share;
            } else {
                values.add(Value.single(panel, entry.getKey(), place, share));
            }
        }
        values.add(Value.single(panel, "others", place, rare));
        return values;
    }
}
