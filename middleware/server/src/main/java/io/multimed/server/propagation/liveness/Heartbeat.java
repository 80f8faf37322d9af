// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.liveness;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects an engine that does not respond although its connections exist (a stopped process, an unreachable machine).
 * Uses a separate connection, because a statement on another connection may legitimately run for long. One thread per
 * connection to a satellite, from the satellite's start to its loss.
 */
public final class Heartbeat implements AutoCloseable {
    /** Maximum response time of an engine that works. */
    public static final int LIMIT_SECONDS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final long PAUSE_MILLIS = 1_000;

    private final ConnectionOpener opener;
    private final Runnable silent;
    private final Thread thread;
    private volatile boolean isSilent;

    /** Receives each response. */
    @FunctionalInterface
    public interface Listener {
        /** May send further requests on the same connection, on which no transaction is open. */
        void answered(Connection connection) throws SQLException;
    }

    private Heartbeat(String node, ConnectionOpener opener, Runnable silent) {
        this.opener = opener;
        this.silent = silent;
        this.thread = new Thread(this::run, node + "-heartbeat");
        this.thread.setDaemon(true);
    }

    /**
     * Starts a heartbeat.
     *
     * @param silent called once, on the heartbeat's thread, if the engine does not respond or the connection breaks
     */
    public static Heartbeat start(String node, ConnectionOpener opener, Runnable silent) {
        Heartbeat heartbeat = new Heartbeat(node, opener, silent);
        heartbeat.thread.start();
        return heartbeat;
    }

    /** Returns whether the engine did not respond in time. */
    public boolean isSilent() {
        return isSilent;
    }

    private void run() {
        try {
            isSilent = awaitSilence(opener, LIMIT_SECONDS, connection -> {});
        } catch (InterruptedException e) {
            return; // closed by its owner
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.warn("{} failed; the engine is considered lost", thread.getName(), e);
        }
        silent.run();
    }

    /**
     * Runs until the engine does not answer, or its connection breaks.
     *
     * @param listener receives each answer
     * @return true if the engine did not answer within the limit; false if the connection could not be opened, or broke
     */
    static boolean awaitSilence(ConnectionOpener opener, int limitSeconds, Listener listener)
            throws InterruptedException {
        long asked = System.nanoTime();
        try (Connection connection = opener.open()) {
            while (connection.isValid(limitSeconds)) {
                listener.answered(connection);
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
                asked = System.nanoTime();
            }
        } catch (SQLException e) {
            LOG.debug("no heartbeat", e);
        }
        return System.nanoTime() - asked >= TimeUnit.SECONDS.toNanos(limitSeconds);
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
