package io.multimed.server.propagation.commit;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that an engine gives no answer although its connections stand (a stopped process, a machine that is gone): on a connection of its own, because others may
 * rightly be busy for long. One thread, from the begin of a satellite's life to its end.
 */
public final class Heartbeat implements AutoCloseable {
    /** The longest silence of an engine that lives. */
    public static final int LIMIT_SECONDS = 3;

    private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
    private static final long PAUSE_MILLIS = 1_000;

    private final ConnectionOpener opener;
    private final Runnable silent;
    private final Thread thread;
    private volatile boolean isSilent;

    /** Receives each answer. */
    @FunctionalInterface
    interface Listener {
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
     * Begins to listen.
     *
     * @param silent called once, on the heartbeat's thread, if the engine gives no answer, or breaks the connection
     */
    public static Heartbeat start(String node, ConnectionOpener opener, Runnable silent) {
        Heartbeat heartbeat = new Heartbeat(node, opener, silent);
        heartbeat.thread.start();
        return heartbeat;
    }

    /** Whether the engine gave no answer. */
    public boolean isSilent() {
        return isSilent;
    }

    private void run() {
        try {
            isSilent = awaitSilence(opener, LIMIT_SECONDS, connection -> {});
        } catch (InterruptedException e) {
            return; // closed
        } catch (RuntimeException | LinkageError | VirtualMachineError | AssertionError e) {
            LOG.warn("{} fails; the engine is considered lost", thread.getName(), e);
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
