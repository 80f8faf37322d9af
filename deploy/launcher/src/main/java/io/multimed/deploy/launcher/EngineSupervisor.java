// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts an engine that ends unexpectedly, on the same data, from which the engine recovers. After repeated deaths,
 * the pause before the next start grows up to half a minute. Uses one thread for each engine that Multimed started.
 *
 * <p>A standby that does not answer is killed, and restarted: its master waits for the standby's connection at a
 * checkpoint that drops the log which the standby lacks, and the log then grows without limit.
 */
public final class EngineSupervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineSupervisor.class);
    // Time between two checks of the process.
    private static final long LOOK_MILLIS = 100;
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long MAX_PAUSE_MILLIS = 30_000;

    /** An engine that has run for this time is considered stable; its next death is restarted without a pause. */
    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    /** Time between two probes of a standby, and the maximum time of one. */
    private static final Duration PROBE_PERIOD = Duration.ofSeconds(5);

    /** Number of probes without an answer, one after the other, after which a standby is killed. */
    private static final int PROBES = 6;

    private final RunningEngine engine;

    /** Time between two probes; null if the engine is not probed. */
    private final @Nullable Duration period;

    private final Thread thread;

    /** Number of consecutive deaths, each before the engine was stable. */
    private int deaths;

    private long born = System.nanoTime();

    /** Time of the last probe, by {@link System#nanoTime}. */
    private long probed = born;

    /** Process that was probed last, and the number of its last probes that were not answered. */
    private long process;

    private int silent;

    private EngineSupervisor(RunningEngine engine, @Nullable Duration period) {
        this.engine = engine;
        this.period = period;
        this.thread = new Thread(this::run, engine.node().name() + "-supervisor");
        this.thread.setDaemon(true);
    }

    /** Starts the supervision of an engine. Does nothing for an engine that Multimed did not start. */
    public static EngineSupervisor of(RunningEngine engine) {
        return start(engine, null);
    }

    /** Starts the supervision of a standby, as {@link #of}. */
    public static EngineSupervisor ofStandby(RunningEngine engine) {
        return start(engine, PROBE_PERIOD);
    }

    static EngineSupervisor start(RunningEngine engine, @Nullable Duration period) {
        EngineSupervisor supervisor = new EngineSupervisor(engine, period);
        if (engine.pid() != 0) {
            supervisor.thread.start();
        }
        return supervisor;
    }

    /** Polls until {@link #close} interrupts the thread. A poll reads one entry of /proc and costs almost nothing. */
    private void run() {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
                poll();
            }
        } catch (InterruptedException e) {
            LOG.debug("{} is no longer supervised", engine.node().name());
        }
    }

    /** An unexpected failure does not end the supervision: the next poll tries again. */
    private void poll() throws InterruptedException {
        try {
            if (engine.hasDied()) {
                revive();
            } else if (period != null && System.nanoTime() - probed > period.toNanos()) {
                probed = System.nanoTime();
                probe(period);
            }
        } catch (RuntimeException e) {
            LOG.error(
                    "{}: the supervision of the engine has failed, and is tried again",
                    engine.node().name(),
                    e);
        }
    }

    /** Asks the engine whether it answers, and kills the process that has not answered several times. */
    private void probe(Duration longest) {
        long pid = engine.pid();
        if (pid != process || !engine.isAlive()) {
            process = pid;
            silent = 0;
            return;
        }
        silent = answers(longest) ? 0 : silent + 1;
        if (silent >= PROBES && engine.pid() == pid && engine.isAlive()) {
            silent = 0;
            LOG.warn(
                    "{}: the engine has not answered {} times, and is killed and started again, because its master may wait for it",
                    engine.node().name(),
                    PROBES);
            engine.kill();
        }
    }

    /** Returns whether the server answers a new connection, be it by an error. */
    private boolean answers(Duration longest) {
        Properties properties = new Properties();
        properties.setProperty("user", engine.user());
        properties.setProperty("password", engine.password());
        String seconds = Long.toString(Math.max(1, longest.toSeconds()));
        for (String limit : List.of("connectTimeout", "loginTimeout", "socketTimeout")) {
            properties.setProperty(limit, seconds);
        }
        try (Connection connection = DriverManager.getConnection(engine.jdbcUrl(), properties)) {
            return !connection.isClosed();
        } catch (SQLException e) {
            return e.getSQLState() != null && !e.getSQLState().startsWith("08");
        }
    }

    /** Waits if the engine has died repeatedly, and starts the engine again. A failed start counts as another death. */
    private void revive() throws InterruptedException {
        String name = engine.node().name();
        deaths = System.nanoTime() - born > STABLE_NANOS ? 0 : deaths;
        long pause = deaths == 0 ? 0 : Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(deaths - 1, 10));
        deaths++;
        LOG.warn(
                "{}: the engine ended unexpectedly and is started again on its data{}",
                name,
                pause == 0 ? "" : " in " + pause + " ms");
        TimeUnit.MILLISECONDS.sleep(pause);
        long begin = System.nanoTime();
        try {
            if (engine.revive()) {
                LOG.info(
                        "{}: the engine runs again after {} ms",
                        name,
                        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
            }
        } catch (EngineException e) {
            LOG.error("{}; the start is tried again", e.getMessage());
        }
        born = System.nanoTime();
        probed = born;
    }

    /** Ends the supervision. The engine continues to run. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
