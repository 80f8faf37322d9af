// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.ServerProgram;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.Commands;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.Storage;
import io.multimed.protocol.Scram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The server program of PostgreSQL: initdb for new data, postgresql settings, and the server process postgres in the
 * foreground.
 *
 * @param programs the folder that contains bin/
 * @param additional settings that the System Model may override
 */
record PostgresProgram(ServerHome home, Path programs, Map<String, String> additional) implements ServerProgram {
    private static final String USER = "postgres";

    /** The file of settings in the data folder, which postgresql.conf includes. */
    static final String SETTINGS = "multimed.conf";

    /** The folder that the server creates for temporary files if there is none. */
    private static final String TEMPORARY_FILES = "pgsql_tmp";

    @Override
    public String title() {
        return "PostgreSQL";
    }

    @Override
    public String databaseUser() {
        return USER;
    }

    @Override
    public void initialise() throws IOException {
        Path data = home.unfinished();
        List<String> command = new ArrayList<>(home.user().prefix());
        command.addAll(List.of(programs.resolve("bin/initdb").toString(), "-D", data.toString()));
        command.addAll(List.of("-U", USER, "-E", "UTF8", "--locale=C", "--auth=scram-sha-256"));
        command.addAll(List.of("--pwfile=" + home.passwordFile(), "--no-sync", "--no-instructions"));
        Commands.run(home.node().name() + ": initdb", home.folder(), command);
        Files.writeString(
                data.resolve("postgresql.conf"),
                "\ninclude '%s'\n".formatted(SETTINGS),
                StandardOpenOption.APPEND,
                LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public Path binary() {
        return programs.resolve("bin/postgres");
    }

    /**
     * Sets the password by a server in single-user mode, which has no network. The exit code reports whether the
     * statement succeeded.
     */
    @Override
    public void adopt() throws IOException {
        Path data = home.unfinished();
        home.user().write(data.resolve(SETTINGS), "");
        List<String> command = new ArrayList<>(home.user().prefix());
        command.addAll(List.of(binary().toString(), "--single", "-D", data.toString()));
        command.addAll(List.of("-c", "exit_on_error=on", "-c", "fsync=off", "-c", "log_checkpoints=off", "postgres"));
        Commands.run(
                home.node().name() + ": setting the password in a copy of initial data",
                home.folder(),
                command,
                "ALTER USER %s PASSWORD '%s'%n"
                        .formatted(
                                USER,
                                Scram.verifierOfRandom(home.password().toCharArray())
                                        .toText()));
    }

    @Override
    public void configure(int port) throws IOException {
        if (Files.exists(home.data().resolve(PostgresStandby.SIGNAL))) {
            throw new EngineException(
                    "%s: the data in %s is that of a standby (propagation: log): remove the folder %s, so that the satellite is copied again"
                            .formatted(home.node().name(), home.data(), home.folder()));
        }
        prepareFolders();
        home.user()
                .write(
                        home.data().resolve(SETTINGS),
                        PostgresSettings.file(home.node(), port, socket(port), additional));
        Files.deleteIfExists(home.data().resolve("postmaster.pid"));
    }

    void prepareFolders() throws IOException {
        home.makeSocketFolder();
        if (home.node().data().storage() == Storage.MEMORY) {
            linkTemporaryFolder();
        }
    }

    /** Lets the server write temporary files to the folder of {@link ServerHome#temporary}. */
    private void linkTemporaryFolder() throws IOException {
        home.makeTemporaryFolder();
        Path link = home.data().resolve("base").resolve(TEMPORARY_FILES);
        if (Files.isDirectory(link, LinkOption.NOFOLLOW_LINKS)) {
            StateFolder.remove(link);
        }
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, home.temporary());
    }

    @Override
    public List<String> command() {
        return List.of(binary().toString(), "-D", home.data().toString());
    }

    @Override
    public String stopSignal() {
        return "INT";
    }

    @Override
    public String jdbcUrl(int port, String database) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
    }

    @Override
    public Optional<Path> socket(int port) {
        return home.socket(".s.PGSQL." + port, PostgresSettings.SOCKETS);
    }

    @Override
    public void createDatabase(int port, String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl(port, "postgres"), USER, home.password());
                Statement statement = connection.createStatement()) {
            if (!exists(statement, database)) {
                // a synchronous standby that the settings name may not be connected yet
                statement.execute("SET synchronous_commit = local");
                statement.execute("CREATE DATABASE \"" + database.replace("\"", "\"\"") + "\"");
            }
        }
    }

    private static boolean exists(Statement statement, String database) throws SQLException {
        try (ResultSet row = statement.executeQuery(
                "SELECT 1 FROM pg_database WHERE datname = '" + database.replace("'", "''") + "'")) {
            return row.next();
        }
    }
}
