// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.mysqlfamily;

import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.ServerProgram;
import io.multimed.deploy.launcher.machine.Commands;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The server program of MariaDB or MySQL. The differences between the two are in {@link FamilyMember}. */
public record FamilyProgram(ServerHome home, Installation installation, FamilyMember member) implements ServerProgram {
    private static final String USER = "root";

    @Override
    public String title() {
        return member.title();
    }

    @Override
    public String databaseUser() {
        return USER;
    }

    private Path settings() {
        return home.folder().resolve("server.cnf");
    }

    /**
     * File with the statements that the server runs before accepting connections; the statements set the user's
     * password. The file exists only during a start.
     */
    private Path firstStatements() {
        return home.folder().resolve("first.sql");
    }

    @Override
    public void initialise() throws IOException {
        writeSettings(home.unfinished(), 0);
        List<String> command = new ArrayList<>(home.user().prefix());
        command.addAll(member.initialisation(home, installation, settings()));
        Commands.run(home.node().name() + ": initialization of the data", home.folder(), command);
    }

    @Override
    public Path binary() {
        return Path.of(installation.server().get(installation.server().size() - 1));
    }

    /** Removes the identifiers of the other server. The password is set at every start. */
    @Override
    public void adopt() throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(home.unfinished(), "{auto.cnf,*.pem}")) {
            for (Path file : files) {
                Files.delete(file);
            }
        }
    }

    @Override
    public void configure(int port) throws IOException {
        home.makeSocketFolder();
        writeSettings(home.data(), port);
        home.user()
                .write(
                        firstStatements(),
                        "ALTER USER '%s'@'localhost' IDENTIFIED BY '%s';%n".formatted(USER, home.password()));
    }

    private void writeSettings(Path data, int port) throws IOException {
        home.makeTemporaryFolder();
        Files.createDirectories(FamilySettings.files(home));
        home.user().give(FamilySettings.files(home));
        home.user().write(settings(), FamilySettings.file(home, data, installation, member, port, socket(port)));
    }

    @Override
    public List<String> command() {
        List<String> command = new ArrayList<>(installation.server());
        command.add("--defaults-file=" + settings());
        command.add("--init-file=" + firstStatements());
        return command;
    }

    @Override
    public String stopSignal() {
        return "TERM";
    }

    @Override
    public String jdbcUrl(int port, String database) {
        return "jdbc:mysql://127.0.0.1:%d/%s%s".formatted(port, database, member.urlProperties());
    }

    @Override
    public Optional<Path> socket(int port) {
        return home.socket("mysqld.sock", FamilySettings.SOCKET);
    }

    @Override
    public void createDatabase(int port, String database) throws SQLException {
        try (Connection connection = DriverManager.getConnection(jdbcUrl(port, ""), USER, home.password());
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE DATABASE IF NOT EXISTS `" + database.replace("`", "``") + "`");
        }
    }

    @Override
    public void started() throws IOException {
        Files.delete(firstStatements());
    }
}
