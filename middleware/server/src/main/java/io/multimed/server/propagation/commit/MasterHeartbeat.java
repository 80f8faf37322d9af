package io.multimed.server.propagation.commit;

import io.multimed.server.node.CriticalThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notices that the master gives no answer although its connections stand (a stopped process, a machine that is gone, packets that are dropped): on a connection of its own, because
 * a statement may rightly run for long. One thread as long as the middleware runs. An engine that refuses connections, or breaks them, does answer: whoever waits for it hears that by itself.
 */
final class MasterHeartbeat implements AutoCloseable {
    /** The longest silence of a master that lives. */
    static final int LIMIT_SECONDS = 4;

    private static final Logger LOG = LoggerFactory.getLogger(MasterHeartbeat.class);
    private static final long PAUSE_MILLIS = 1_000;

    private final ConnectionOpener opener;
    private final Runnable silent;
    private final Thread thread;
    private final Heartbeat.Listener listener;
    private volatile boolean isSilent;

    /**
     * Not running yet.
     *
     * @param opener gives up by itself after some seconds
     * @param silent called repeatedly, on the heartbeat's thread, as long as the master does not answer
     * @param listener receives each answer, on the same thread
     * @param criticalThreads watch that thread
     */
    MasterHeartbeat(
            ConnectionOpener opener, Runnable silent, Heartbeat.Listener listener, CriticalThreads criticalThreads) {
        this.listener = listener;
        this.opener = opener;
        this.silent = silent;
        this.thread = criticalThreads.thread("master-heartbeat", this::run);
    }

    void start() {
        thread.start();
    }

    /** Whether the master gave no answer when it was asked last. */
    boolean isSilent() {
        return isSilent;
    }

    private void run() {
        try {
            while (true) {
                listen();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException e) {
            LOG.debug("nobody listens to the master any more", e);
        }
    }

    private void listen() throws InterruptedException {
        try {
            isSilent = Heartbeat.awaitSilence(opener, LIMIT_SECONDS, this::answered);
            if (isSilent) {
                silent.run();
            }
        } catch (RuntimeException | VirtualMachineError e) {
            LOG.warn("the master did not answer this time", e);
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
