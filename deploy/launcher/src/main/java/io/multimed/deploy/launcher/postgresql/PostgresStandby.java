// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher.postgresql;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.ServerHome;
import io.multimed.deploy.launcher.ServerProgram;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.deploy.launcher.machine.Polling;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A physical standby of a running PostgreSQL server: its data is a copy of that server's files, which it keeps current
 * by the server's log. A replication slot, which belongs to the standby, keeps the part of the log that the standby
 * lacks; the server's max_slot_wal_keep_size limits this part.
 */
final class PostgresStandby implements ServerProgram {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresStandby.class);

    /** SQLState of object_in_use. */
    private static final String IN_USE = "55006";

    private static final int ATTEMPTS = 50;

    /** The file that makes a server a standby. */
    static final String SIGNAL = "standby.signal";

    private final PostgresProgram program;
    private final ServerHome home;
    private final RunningEngine primary;

    PostgresStandby(ServerHome home, PostgresProgram program, RunningEngine primary) {
        this.home = home;
        this.program = program;
        this.primary = primary;
    }

    @Override
    public String title() {
        return program.title() + " (standby)";
    }

    @Override
    public String databaseUser() {
        return primary.user();
    }

    @Override
    public boolean hasOwnData() {
        return false;
    }

    /** Makes the slot before the copy, so that the log is kept from here on. */
    @Override
    public void initialise() throws IOException {
        try (Connection connection =
                DriverManager.getConnection(primary.jdbcUrl(), primary.user(), primary.password())) {
            makeSlot(connection);
            new BaseCopy(connection, home.unfinished(), home.user()).make();
        } catch (SQLException e) {
            throw new EngineException(
                    "%s: the server %s cannot be copied: %s"
                            .formatted(home.node().name(), primary.node().name(), e.getMessage()),
                    e);
        }
        home.user().write(home.passwordFile(), primary.password());
    }

    private void makeSlot(Connection connection) throws SQLException {
        String slot = slot();
        dropSlot(connection, slot);
        try (PreparedStatement create =
                connection.prepareStatement("SELECT pg_create_physical_replication_slot(?, true)")) {
            create.setString(1, slot);
            create.execute();
        }
    }

    /** Drops the slot if it exists. The master may not have noticed yet that the standby, which used it, has died. */
    private static void dropSlot(Connection connection, String slot) throws SQLException {
        try (PreparedStatement end = connection.prepareStatement(
                        "SELECT pg_terminate_backend(active_pid) FROM pg_replication_slots WHERE slot_name = ? AND active");
                PreparedStatement drop = connection.prepareStatement(
                        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = ?")) {
            end.setString(1, slot);
            drop.setString(1, slot);
            for (int attempt = 1; ; attempt++) {
                end.execute();
                try {
                    drop.execute();
                    return;
                } catch (SQLException e) {
                    if (!IN_USE.equals(e.getSQLState()) || attempt == ATTEMPTS) {
                        throw e;
                    }
                    Polling.millis(100);
                }
            }
        }
    }

    /** Drops the slot of a standby without data, unless the master has ended. A later start makes another slot. */
    @Override
    public void forget() {
        try (Connection connection =
                DriverManager.getConnection(primary.jdbcUrl(), primary.user(), primary.password())) {
            dropSlot(connection, slot());
        } catch (SQLException e) {
            LOG.debug("{}: the slot remains on the master", home.node().name(), e);
        }
    }

    /** Returns the name of the slot. Names of slots have lower-case letters, digits and underscores only. */
    private String slot() {
        return "multimed_" + home.node().name().toLowerCase(Locale.ROOT).replace('-', '_');
    }

    @Override
    public Path binary() {
        return program.binary();
    }

    @Override
    public void adopt() {
        throw new UnsupportedOperationException("a standby is a copy of its primary");
    }

    @Override
    public void configure(int port) throws IOException {
        program.prepareFolders();
        home.user()
                .write(
                        home.data().resolve(PostgresProgram.SETTINGS),
                        PostgresSettings.standby(home.node(), port, socket(port), primary.node(), upstream(), slot()));
        Files.deleteIfExists(home.data().resolve("postmaster.pid"));
        if (!Files.exists(home.data().resolve(SIGNAL))) {
            throw new EngineException(
                    "%s: the data in %s is not that of a standby: remove the folder %s, so that the standby is made"
                            .formatted(home.node().name(), home.data(), home.folder()));
        }
    }

    /** Returns the connection string of the primary. The file that contains it is readable by the server only. */
    private String upstream() {
        String host = primary.socket().map(Path::getParent).map(Path::toString).orElse("127.0.0.1");
        return "host=%s port=%d user=%s password=%s application_name=%s"
                .formatted(
                        quoted(host),
                        port(primary.jdbcUrl()),
                        quoted(primary.user()),
                        quoted(primary.password()),
                        slot());
    }

    /** Quotes a value of a connection string. */
    private static String quoted(String value) {
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }

    private static int port(String jdbcUrl) {
        return URI.create(jdbcUrl.substring("jdbc:".length())).getPort();
    }

    @Override
    public List<String> command() {
        return program.command();
    }

    @Override
    public String stopSignal() {
        return program.stopSignal();
    }

    @Override
    public String jdbcUrl(int port, String database) {
        return program.jdbcUrl(port, database);
    }

    @Override
    public Optional<Path> socket(int port) {
        return program.socket(port);
    }

    /** Creates nothing: the database comes from the primary. Fails until it is there. */
    @Override
    public void createDatabase(int port, String database) throws SQLException {
        try (Connection connection =
                        DriverManager.getConnection(jdbcUrl(port, database), primary.user(), primary.password());
                PreparedStatement query = connection.prepareStatement("SELECT pg_is_in_recovery()");
                ResultSet row = query.executeQuery()) {
            row.next();
            if (!row.getBoolean(1)) {
                throw new SQLException("the server on port %d is not a standby".formatted(port), "55000");
            }
        }
    }
}
