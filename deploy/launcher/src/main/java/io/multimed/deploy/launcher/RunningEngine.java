// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.NodeSpec;
import io.multimed.model.value.CoreSet;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An engine that was started. Even after its end, the engine can be started again on the same data. {@link #close}
 * stops the engine and removes data in memory.
 */
public interface RunningEngine extends AutoCloseable {
    /**
     * Returns the definition of the node. The port of the definition may be 0; the actual port is in {@link #jdbcUrl}.
     */
    NodeSpec node();

    /** Returns the engine's name for users. */
    String title();

    /** Returns the URL for the engine's own JDBC driver. */
    String jdbcUrl();

    /**
     * Returns the path of the Unix-domain socket on which the server listens, too. Only the account of the server and
     * root can connect there. Empty for an engine that Multimed did not start.
     */
    Optional<Path> socket();

    String user();

    /** Returns the password, which must not appear in logs and command lines. */
    String password();

    /**
     * Returns the account of the machine under which the server's processes run if this process runs as root.
     *
     * @throws EngineException for an engine that Multimed did not start
     */
    ServerUser account();

    /** Returns the process id of the server; 0 for an engine that Multimed did not start. */
    long pid();

    /** Returns whether the server's process exists; the process may still be recovering. */
    boolean isAlive();

    /** Returns whether the server ended without {@link #stop}. */
    boolean hasDied();

    /** Kills the server, with the effect of a power failure. */
    void kill();

    /**
     * Kills the server and removes its data. The next start begins with an empty database, on the same port and with
     * the same password. A master is not started without its data, because the master holds the only durable copy.
     */
    void loseData();

    /**
     * Starts the server again, on the same data and port, if the server ended without {@link #stop}: after a crash or
     * {@link #kill}.
     *
     * @return whether the server had ended
     * @throws EngineException if the server does not start
     */
    boolean revive();

    /**
     * Moves the running server to other cores, where it also starts later. Does nothing for an engine that Multimed did
     * not start, which is not pinned.
     *
     * @throws EngineException if a process cannot be moved; the next start uses the cores nevertheless
     */
    void pin(CoreSet cores);

    /** Stops a running server, and starts the server again on the same data and port. */
    void restart();

    /** Stops the server in order. Does nothing if the server does not run. */
    void stop();

    /** Stops the server and removes temporary data. */
    @Override
    void close();
}
