package io.multimed.deploy.launcher;

import io.multimed.model.NodeSpec;

/** An engine that runs, or that ran: it can be started again on the same data. Closing stops it; data in memory is then removed. */
public interface RunningEngine extends AutoCloseable {
    NodeSpec node();

    /** The engine's name for people. */
    String title();

    /** For the engine's own JDBC driver. */
    String jdbcUrl();

    String user();

    String password();

    /**
     * The account of the machine that the server's processes belong to, if we are root.
     *
     * @throws EngineException for an engine that Multimed did not start
     */
    ServerUser account();

    /** The server's process; 0 for an engine that Multimed did not start. */
    long pid();

    boolean isAlive();

    /** Whether it ended without being told to {@link #stop}. */
    boolean hasDied();

    /** Ends the server as a power failure would. */
    void kill();

    /**
     * Ends the server as a power failure would and removes all that it holds. The next start begins with an empty database, on the same port and with the same
     * password; a master, the only durable copy, is not started without its data.
     */
    void loseData();

    /**
     * Starts the server again, on the same data and port, if it ended without being told to {@link #stop}: after a crash or {@link #kill}.
     *
     * @return whether it had to
     * @throws EngineException if it does not start
     */
    boolean revive();

    /** Stops it, if it still runs, and starts it again on the same data and port. */
    void restart();

    /** Stops it in order; does nothing if it does not run. */
    void stop();

    /** Stops it and removes what was meant to be temporary. */
    @Override
    void close();
}
