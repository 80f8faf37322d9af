package io.multimed.engine.postgresql.connection;

import io.multimed.engine.dialect.LastKeys;
import io.multimed.engine.dialect.SessionSettings;
import io.multimed.engine.dialect.SessionState;
import io.multimed.engine.dialect.SessionWatch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.postgresql.core.BaseConnection;

/** Watches and resets PostgreSQL's sessions. */
public final class PostgresSessionSettings implements SessionSettings {
    /** Excludes settings of the current transaction, and those that the driver sets for it. */
    private static final String SESSION_STATE = """
            SELECT 'settings' WHERE EXISTS (SELECT FROM pg_settings WHERE source = 'session' AND name <> 'TimeZone'
                    AND name NOT IN ('transaction_isolation', 'transaction_read_only', 'transaction_deferrable', 'default_transaction_isolation', 'default_transaction_read_only')
                    AND (name, setting) <> ('application_name', 'multimed'))
                OR EXISTS (SELECT FROM unnest(?::text[]) n (name) WHERE current_setting(n.name, true) <> '')
            UNION ALL SELECT 'role' WHERE current_setting('role') <> 'none' OR session_user <> ?
            UNION ALL SELECT 'temporary tables' WHERE EXISTS (SELECT FROM pg_depend WHERE refclassid = 'pg_namespace'::regclass AND refobjid = pg_my_temp_schema())
            UNION ALL SELECT 'advisory locks' WHERE EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid())
            UNION ALL SELECT 'prepared statements' WHERE EXISTS (SELECT FROM pg_prepared_statements WHERE from_sql)
            UNION ALL SELECT 'cursors' WHERE EXISTS (SELECT FROM pg_cursors WHERE is_holdable)
            UNION ALL SELECT 'channels' WHERE EXISTS (SELECT FROM pg_listening_channels())
            UNION ALL SELECT 'zone ' || setting FROM pg_settings WHERE name = 'TimeZone' AND source = 'session'""";

    /** Begins the row that tells a session's time zone. */
    private static final String ZONE = "zone ";

    /** The engine lists what a session has changed. */
    @Override
    public SessionWatch watch(Connection connection) {
        return PostgresSessionSettings::sessionState;
    }

    @Override
    public Optional<LastKeys> lastKeys() {
        return Optional.empty();
    }

    @Override
    public String zone(String javaZone) {
        return PostgresZones.ofJava(javaZone);
    }

    @Override
    public void setZone(Connection connection, String zone) throws SQLException {
        PostgresZones.set(connection, zone);
    }

    private static SessionState sessionState(Connection connection, Set<String> settings) throws SQLException {
        List<String> held = new ArrayList<>();
        String zone = "";
        try (PreparedStatement statement = connection.prepareStatement(SESSION_STATE)) {
            statement.setArray(1, connection.createArrayOf("text", settings.toArray()));
            statement.setString(2, connection.getMetaData().getUserName());
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String found = rows.getString(1);
                    if (found.startsWith(ZONE)) {
                        zone = found.substring(ZONE.length());
                    } else {
                        held.add(found);
                    }
                }
            }
        }
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
        return new SessionState(held, zone);
    }

    @Override
    public <T> T resetting(Connection connection, Step<T> statement) throws SQLException {
        OwnSettings own = OwnSettings.of(connection);
        T result = statement.run();
        own.restore(connection);
        return result;
    }

    @Override
    public void resetSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("RESET ALL; SELECT pg_catalog.pg_advisory_unlock_all()");
        }
    }

    /** The engine reports the setting with each answer. */
    @Override
    public void requireDefaultQuoting(Connection connection) throws SQLException {
        if (!connection.unwrap(BaseConnection.class).getStandardConformingStrings()) {
            throw new SQLFeatureNotSupportedException(
                    "a backslash before a quote under standard_conforming_strings = off is not supported through Multimed: write two quotes, or E'...', or use a parameter",
                    "0A000");
        }
    }
}
