// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.command;

import io.multimed.deploy.terminal.Progress;
import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Displays the progress of a change of a satellite, over a separate connection. Used by one thread, besides the thread
 * that {@link #watchTransactions} starts.
 */
final class SatelliteProgress implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SatelliteProgress.class);

    /** Time between two queries of the status. */
    private static final long POLL_MILLIS = 200;

    private final Target target;
    private final String name;
    private final Progress progress;
    private @Nullable Thread watch;

    /**
     * Status of the satellite, from {@code SHOW MULTIMED STATUS}.
     *
     * @param active number of transactions that run on the satellite
     * @param lag number of SCNs by which the satellite is behind
     * @param trouble the reason why the satellite does not serve; empty if there is none
     */
    private record State(String state, int active, long lag, String trouble) {}

    SatelliteProgress(Target target, String name, Progress progress) {
        this.target = target;
        this.name = name;
        this.progress = progress;
    }

    /**
     * Waits until the satellite serves, or is drained.
     *
     * @throws SQLException 42704 if the satellite was removed meanwhile
     * @throws TimeoutException with the present state after {@code seconds} seconds; the change continues
     */
    void awaitServing(int seconds) throws SQLException, InterruptedException, TimeoutException {
        long begin = System.nanoTime();
        try (Connection connection = target.connect()) {
            while (true) {
                State now = state(connection).orElseThrow(() -> new SQLException(name + " was removed", "42704"));
                if (now.state.equals("ONLINE") || now.state.startsWith("DRAIN")) {
                    return;
                }
                progress.step(name, "%s  %d behind  %s".formatted(now.state, now.lag, now.trouble));
                if (System.nanoTime() - begin > TimeUnit.SECONDS.toNanos(seconds)) {
                    throw new TimeoutException("%s is still %s after %d s, and continues: see multimed status. %s"
                            .formatted(name, now.state, seconds, now.trouble));
                }
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    /**
     * Starts a thread that displays the number of transactions on the satellite, over a connection of its own, until
     * {@link #close}.
     */
    void watchTransactions() {
        Thread watching = new Thread(this::showTransactions, "progress");
        watching.setDaemon(true);
        watching.start();
        watch = watching;
    }

    /** Polls until the thread is interrupted. A failure only ends the display: the change continues. */
    private void showTransactions() {
        try (Connection connection = target.connect()) {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
                Optional<State> now = state(connection).filter(state -> state.active > 0);
                now.ifPresent(state -> progress.step(name, "%d transactions run".formatted(state.active)));
            }
        } catch (SQLException e) {
            LOG.debug("no progress can be shown", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the satellite's status; empty if Multimed has no such node. */
    private Optional<State> state(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                if (nodes.getString("node").equals(name)) {
                    String trouble = nodes.getString("trouble");
                    return Optional.of(new State(
                            nodes.getString("state"),
                            nodes.getInt("active"),
                            nodes.getLong("lag_scns"),
                            trouble == null ? "" : trouble));
                }
            }
            return Optional.empty();
        }
    }

    /** Ends the display without waiting for its thread. */
    @Override
    public void close() {
        Thread watching = watch;
        if (watching != null) {
            watching.interrupt();
        }
    }
}
