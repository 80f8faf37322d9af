// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.model.NodeSpec;
import io.multimed.server.dispatcher.administration.Administration.DrainOptions;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.node.NodePause;
import io.multimed.server.propagation.commit.Master;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Pauses the master, and restarts its engine, without an error for clients (architecture 6.4): running transactions may
 * end, new ones wait without a thread. Methods exclude each other: a second operation is refused.
 *
 * <p>States: serving - {@link #pause} - paused - {@link #resume} or {@link #MAX_PAUSE} - serving. {@link #restart}
 * passes through both.
 */
final class MasterControl implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterControl.class);
    private static final long POLL_MILLIS = 20;
    private static final long RETRY_SECONDS = 5;

    /** Maximum duration of a pause whose administrator does not resume. */
    static final Duration MAX_PAUSE = Duration.ofMinutes(5);

    /** How long a restarted master may need until the middleware holds it again; clients wait meanwhile. */
    private static final long RECONNECT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final Master master;
    private final NodePause pause;
    private final SatelliteProvisioner provisioner;

    /** Ends a pause that is not resumed. */
    private final ScheduledThreadPoolExecutor clock =
            new ScheduledThreadPoolExecutor(1, new NamedThreads("master-pause"));

    /** Whether an operation is in progress. Guarded by this object's monitor, which is held for a few instructions. */
    private boolean isBusy;

    /** The end of a pause without RESUME; null if the master is not paused by PAUSE. Guarded by the monitor. */
    private @Nullable Future<?> expiry;

    MasterControl(Master master, SatelliteProvisioner provisioner) {
        this.master = master;
        this.pause = master.node().pause();
        this.provisioner = provisioner;
        clock.setRemoveOnCancelPolicy(true);
    }

    private String name() {
        return master.node().name();
    }

    private synchronized void occupy(boolean paused) throws SQLException {
        if (isBusy) {
            throw new SQLException(
                    "another change of %s is in progress; wait until it ends".formatted(name()), "55006");
        }
        if (paused != (expiry != null)) {
            throw new SQLException(
                    paused ? name() + " is not paused" : name() + " is paused: resume it first (RESUME)", "55000");
        }
        isBusy = true;
    }

    private synchronized void release() {
        isBusy = false;
    }

    /**
     * Stops and starts the engine. Transactions that still run after the wait are aborted only with {@code force}.
     *
     * @throws SQLException 55006 if transactions still run after the wait; the master then serves as before
     */
    void restart(NodeSpec node, DrainOptions options) throws SQLException, InterruptedException {
        occupy(false);
        try {
            begin(options);
            long begun = System.nanoTime();
            try {
                provisioner.restart(node);
            } finally {
                end();
            }
            LOG.info(
                    "{}: the engine was restarted; transactions have waited for {} ms",
                    name(),
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun));
        } finally {
            release();
        }
    }

    /** Pauses the master until {@link #resume}, but at most for {@link #MAX_PAUSE}. */
    void pause(Duration wait) throws SQLException, InterruptedException {
        occupy(false);
        try {
            begin(new DrainOptions(wait, false));
            synchronized (this) {
                expiry = clock.schedule(this::expire, MAX_PAUSE.toSeconds(), TimeUnit.SECONDS);
            }
        } finally {
            release();
        }
    }

    /** Ends {@link #pause} when the middleware holds the master again. */
    void resume() throws SQLException, InterruptedException {
        occupy(true);
        try {
            reconnect();
            serve();
            synchronized (this) {
                if (expiry != null) {
                    expiry.cancel(false);
                    expiry = null;
                }
            }
        } finally {
            release();
        }
    }

    private void expire() {
        if (!mayExpire()) {
            return;
        }
        LOG.warn("{}: the pause ends after {} s, because it was not resumed", name(), MAX_PAUSE.toSeconds());
        try {
            end();
        } catch (SQLException e) {
            LOG.error("{}: transactions do not wait any longer, although the master cannot be used", name(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            release();
        }
    }

    /** Returns whether the pause has to end now; if an administrator is resuming it, looks again later. */
    private synchronized boolean mayExpire() {
        if (expiry == null) {
            return false;
        }
        boolean may = !isBusy;
        expiry = may ? null : clock.schedule(this::expire, RETRY_SECONDS, TimeUnit.SECONDS);
        isBusy = true;
        return may;
    }

    /**
     * Makes new transactions wait, lets running ones end, and then holds the commit order, so that nothing that a
     * client may have seen is undone by the stop of the engine.
     */
    private void begin(DrainOptions options) throws SQLException, InterruptedException {
        LOG.info("{}: paused; new transactions wait", name());
        pause.begin();
        boolean held = false;
        try {
            boolean idle = pause.awaitIdle(options.timeout().toNanos());
            if (!idle && !options.force()) {
                throw busy(options.timeout());
            }
            master.order().pause();
            held = true;
        } finally {
            if (!held) {
                pause.end();
            }
        }
    }

    private SQLException busy(Duration waited) {
        return new SQLException(
                "after %d s, %d transactions or sessions still use %s, which is not paused and serves all clients again: try again later, wait longer (WAIT, --wait), or abort them with FORCE (--force)"
                        .formatted(waited.toSeconds(), master.node().active(), name()),
                "55006");
    }

    /** Ends the pause in any case: if the master cannot be used, clients receive errors instead of waiting. */
    private void end() throws SQLException, InterruptedException {
        try {
            reconnect();
        } finally {
            serve();
        }
    }

    private void serve() {
        master.order().resume();
        pause.end();
        LOG.info("{}: the pause has ended", name());
    }

    private void reconnect() throws SQLException, InterruptedException {
        long begun = System.nanoTime();
        while (true) {
            try {
                master.reconnect();
                return;
            } catch (SQLException e) {
                if (System.nanoTime() - begun > RECONNECT_NANOS) {
                    throw e;
                }
                LOG.debug("{} cannot be used yet", name(), e);
                TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
            }
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
