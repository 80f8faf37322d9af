// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.liveness;

import io.multimed.server.node.CriticalThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects a master that does not respond although its connections exist (a stopped process, an unreachable machine, a
 * network that drops packets). Uses a separate connection, because a statement may legitimately run for long. One
 * thread as long as the middleware runs. An engine that refuses or closes connections does respond: threads that wait
 * for it receive an error from their own connections.
 */
public final class MasterHeartbeat implements AutoCloseable {
    /** Maximum response time of a master that works. */
    public static final int LIMIT_SECONDS = 4;

    private static final Logger LOG = LoggerFactory.getLogger(MasterHeartbeat.class);
    private static final long PAUSE_MILLIS = 1_000;

    private final ConnectionOpener opener;
    private final Runnable silent;
    private final Thread thread;
    private final Heartbeat.Listener listener;
    private volatile boolean isSilent;

    /**
     * Creates the heartbeat; {@link #start} starts its thread.
     *
     * @param opener opens a connection; must return within some seconds
     * @param silent called repeatedly, on the heartbeat's thread, as long as the master does not respond
     * @param listener receives each response, on the same thread
     * @param criticalThreads supervises that thread
     */
    public MasterHeartbeat(
            ConnectionOpener opener, Runnable silent, Heartbeat.Listener listener, CriticalThreads criticalThreads) {
        this.listener = listener;
        this.opener = opener;
        this.silent = silent;
        this.thread = criticalThreads.thread("master-heartbeat", this::run);
    }

    public void start() {
        thread.start();
    }

    /** Returns whether the master did not respond to the last request. */
    public boolean isSilent() {
        return isSilent;
    }

    private void run() {
        try {
            while (true) {
                listen();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            LOG.debug("the master's heartbeat stops", e);
        }
    }

    private void listen() throws InterruptedException {
        try {
            isSilent = Heartbeat.awaitSilence(opener, LIMIT_SECONDS, this::answered);
            if (isSilent) {
                silent.run();
            }
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.warn("the heartbeat of the master failed; it is repeated", e);
        }
    }

    private void answered(Connection connection) throws SQLException {
        isSilent = false;
        connection.setNetworkTimeout(Runnable::run, LIMIT_SECONDS * 1_000);
        listener.answered(connection);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
