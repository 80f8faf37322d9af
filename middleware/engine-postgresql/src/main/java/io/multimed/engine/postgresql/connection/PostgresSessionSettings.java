// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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

/**
 * Watches and resets the state of PostgreSQL's sessions (triggers-sql/README.md, "Session state"). The engine's catalog
 * lists the state, so that nothing has to be recorded before a client uses a session.
 */
public final class PostgresSessionSettings implements SessionSettings {
    /**
     * Lists the session state, one row for each kind. Excludes settings of the current transaction, and those that the
     * driver or the seal changes. The first parameter contains names of custom settings, which pg_settings does not
     * list; the second one is the user with which the session was opened. All names are qualified, because the client
     * may have set the search path, and created views, functions and operators in its schemas that hide the state.
     */
    private static final String SESSION_STATE = """
            SELECT 'settings' WHERE EXISTS (SELECT FROM pg_catalog.pg_settings s WHERE s.source OPERATOR(pg_catalog.=) 'session'
                    AND s.name OPERATOR(pg_catalog.<>) ALL ('{TimeZone,transaction_isolation,transaction_read_only,transaction_deferrable,default_transaction_isolation,default_transaction_read_only}'::pg_catalog.text[])
                    AND NOT (s.name OPERATOR(pg_catalog.=) 'application_name' AND s.setting OPERATOR(pg_catalog.=) 'multimed')
                    AND (s.name OPERATOR(pg_catalog.<>) 'lock_timeout' OR s.setting OPERATOR(pg_catalog.<>) s.reset_val))
                OR EXISTS (SELECT FROM pg_catalog.unnest(?::pg_catalog.text[]) n (name) WHERE pg_catalog.current_setting(n.name, true) OPERATOR(pg_catalog.<>) '')
            UNION ALL SELECT 'role' WHERE pg_catalog.current_setting('role') OPERATOR(pg_catalog.<>) 'none' OR session_user OPERATOR(pg_catalog.<>) ?::pg_catalog.text
            UNION ALL SELECT 'temporary tables' WHERE EXISTS (SELECT FROM pg_catalog.pg_depend d
                WHERE d.refclassid OPERATOR(pg_catalog.=) 'pg_catalog.pg_namespace'::pg_catalog.regclass AND d.refobjid OPERATOR(pg_catalog.=) pg_catalog.pg_my_temp_schema())
            UNION ALL SELECT 'advisory locks' WHERE EXISTS (SELECT FROM pg_catalog.pg_locks l
                WHERE l.locktype OPERATOR(pg_catalog.=) 'advisory' AND l.pid OPERATOR(pg_catalog.=) pg_catalog.pg_backend_pid())
            UNION ALL SELECT 'prepared statements' WHERE EXISTS (SELECT FROM pg_catalog.pg_prepared_statements p WHERE p.from_sql)
            UNION ALL SELECT 'cursors' WHERE EXISTS (SELECT FROM pg_catalog.pg_cursors c WHERE c.is_holdable)
            UNION ALL SELECT 'channels' WHERE EXISTS (SELECT FROM pg_catalog.pg_listening_channels())
            UNION ALL SELECT 'zone ' OPERATOR(pg_catalog.||) s.setting FROM pg_catalog.pg_settings s
                WHERE s.name OPERATOR(pg_catalog.=) 'TimeZone' AND s.source OPERATOR(pg_catalog.=) 'session'""";

    private static final String RESET = "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *;"
            + " SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

    /** Begins the row with the session's time zone, which does not pin a connection. */
    private static final String ZONE = "zone ";

    /** Returns a watch without memory: the catalog lists the changes of a session. */
    @Override
    public SessionWatch watch(Connection connection) {
        return PostgresSessionSettings::sessionState;
    }

    /** Empty: currval and lastval are supported within their transaction only. */
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

    /** Runs one query and commits. */
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

    /**
     * Preserves the settings that contain the WriteSet of the open transaction: {@code RESET ALL} would empty them, and
     * the seal would then fail with MM003.
     */
    @Override
    public <T> T resetting(Connection connection, Step<T> statement) throws SQLException {
        OwnSettings own = OwnSettings.of(connection);
        T result = statement.run();
        own.restore(connection);
        return result;
    }

    /** Does what DISCARD ALL does, except that statements remain prepared: those of the driver are. */
    @Override
    public void resetSession(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(RESET);
        }
    }

    /** Consults the value that the engine reports to the driver: no round trip. */
    @Override
    public void requireDefaultQuoting(Connection connection) throws SQLException {
        if (!connection.unwrap(BaseConnection.class).getStandardConformingStrings()) {
            throw new SQLFeatureNotSupportedException(
                    "a backslash before a quote under standard_conforming_strings = off is not supported through Multimed: write two quotes, or E'...', or use a parameter",
                    "0A000");
        }
    }
}
