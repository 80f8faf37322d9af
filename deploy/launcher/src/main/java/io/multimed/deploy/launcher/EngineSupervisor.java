// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts an engine that ends unexpectedly, on the same data, from which the engine recovers. After repeated deaths,
 * the pause before the next start grows up to half a minute. Uses one thread for each engine that Multimed started.
 */
public final class EngineSupervisor implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineSupervisor.class);
    // Time between two checks of the process.
    private static final long LOOK_MILLIS = 100;
    private static final long FIRST_PAUSE_MILLIS = 250;
    private static final long MAX_PAUSE_MILLIS = 30_000;

    /** An engine that has run for this time is considered stable; its next death is restarted without a pause. */
    private static final long STABLE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final RunningEngine engine;
    private final Thread thread;

    /** Number of consecutive deaths, each before the engine was stable. */
    private int deaths;

    private long born = System.nanoTime();

    private EngineSupervisor(RunningEngine engine) {
        this.engine = engine;
        this.thread = new Thread(this::run, engine.node().name() + "-supervisor");
        this.thread.setDaemon(true);
    }

    /** Starts the supervision of an engine. Does nothing for an engine that Multimed did not start. */
    public static EngineSupervisor of(RunningEngine engine) {
        EngineSupervisor supervisor = new EngineSupervisor(engine);
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
                if (engine.hasDied()) {
                    revive();
                }
            }
        } catch (InterruptedException e) {
            LOG.debug("{} is no longer supervised", engine.node().name());
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
