// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * Program of one engine's server: initialization of data, settings, and command line. Implementations know the engine;
 * processes are the task of {@link EngineServer}.
 */
public interface ServerProgram {
    /** Returns the engine's name for users. */
    String title();

    /** Returns the user that new data contains, and as which Multimed connects. */
    String databaseUser();

    /**
     * Initializes {@link ServerHome#unfinished} with {@link #databaseUser} as the only user.
     *
     * @throws EngineException with the output of the engine's program if the initialization fails
     */
    void initialise() throws IOException;

    /** Returns whether new data is the same for all servers; otherwise it is a copy of another server's. */
    default boolean hasOwnData() {
        return true;
    }

    /** Returns the file of the server's program. Data of another program may not be usable. */
    Path binary();

    /**
     * Turns a copy of another server's initial data in {@link ServerHome#unfinished} into data of this server: replaces
     * the password and all identifiers of the server.
     */
    void adopt() throws IOException;

    /** Writes the settings for a start on this port. */
    void configure(int port) throws IOException;

    /**
     * Returns the command line of the server, which stays in the foreground and logs to standard output. Contains no
     * password, because all accounts can see command lines.
     */
    List<String> command();

    /** Returns the signal, without SIG, that stops the server in order without waiting for clients. */
    String stopSignal();

    String jdbcUrl(int port, String database);

    /** Returns the path of the Unix-domain socket on which the server listens; empty if it listens on TCP only. */
    Optional<Path> socket(int port);

    /**
     * Creates a database if absent.
     *
     * @throws SQLException also if the server does not accept connections yet
     */
    void createDatabase(int port, String database) throws SQLException;

    /** Called when the data of the server was removed: removes what another server keeps for this one. */
    default void forget() {}

    /** Called after the server has accepted a connection after a start. */
    default void started() throws IOException {}
}
