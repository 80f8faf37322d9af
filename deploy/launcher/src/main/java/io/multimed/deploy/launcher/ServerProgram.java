package io.multimed.deploy.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** What one engine's server wants: its data, its settings, its command. Whoever implements this knows the engine and nothing of processes. */
public interface ServerProgram {
    /** The engine's name for people. */
    String title();

    /** The user that the engine's data begins with and that Multimed connects as. */
    String databaseUser();

    /**
     * Makes what is to become {@link ServerHome#data}, with {@link #databaseUser} as its only user.
     *
     * @throws EngineException with what the engine's own program said
     */
    void initialise() throws IOException;

    /** The server's program as a file: on another one's data it might not start. */
    Path binary();

    /**
     * Makes what another server of the same program has initialised, and what was copied to {@link ServerHome#unfinished}, this server's own: its password, and all by
     * which servers are told apart.
     */
    void adopt() throws IOException;

    /** Writes the settings of a start on this port. */
    void configure(int port) throws IOException;

    /** The server's program, which stays in the foreground and writes its log to standard output, and its arguments; no password is among them. */
    List<String> command();

    /** The signal, without SIG, that ends the server in order without waiting for its clients. */
    String stopSignal();

    String jdbcUrl(int port, String database);

    /**
     * Makes a database if it is not there.
     *
     * @throws SQLException also if the server does not answer yet
     */
    void createDatabase(int port, String database) throws SQLException;

    /** Called when the server has answered after a start. */
    default void started() throws IOException {}
}
