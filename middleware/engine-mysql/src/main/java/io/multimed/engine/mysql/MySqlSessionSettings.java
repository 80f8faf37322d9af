// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql;

import io.multimed.engine.dialect.LastKeys;
import io.multimed.engine.dialect.SessionSettings;
import io.multimed.engine.dialect.SessionWatch;
import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.mysql.master.DdlPropagation;
import io.multimed.engine.mysql.result.MySqlLastKeys;
import io.multimed.engine.mysql.sql.NamedLocks;
import io.multimed.engine.mysql.sql.PreparedTexts;
import io.multimed.engine.sql.SqlReader;
import io.multimed.protocol.value.Parameter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Optional;

/** Watches and resets the sessions of MariaDB and MySQL: delegates to the classes that know one aspect each. */
final class MySqlSessionSettings implements SessionSettings {
    private static final LastKeys LAST_KEYS = new MySqlLastKeys();

    private final SqlReader reader;

    /** @param reader parses the texts that sessions have prepared */
    MySqlSessionSettings(SqlReader reader) {
        this.reader = reader;
    }

    /** Releases the locks on the tables concerned, and restores MariaDB's {@code innodb_snapshot_isolation}. */
    @Override
    public void ddlRecorded(Connection connection) throws SQLException {
        DdlPropagation.told(connection);
    }

    @Override
    public SessionWatch watch(Connection connection) throws SQLException {
        return new MySqlSessions(connection);
    }

    @Override
    public void beginUse(Connection connection) throws SQLException {
        SessionChanges.of(connection).begin();
    }

    @Override
    public boolean hasReportedChanges(Connection connection) throws SQLException {
        return SessionChanges.of(connection).any(connection);
    }

    /** {@code LAST_INSERT_ID()} belongs to the session, not to the transaction. */
    @Override
    public Optional<LastKeys> lastKeys() {
        return Optional.of(LAST_KEYS);
    }

    @Override
    public String bound(String setting, List<Parameter> parameters) {
        return NamedLocks.bound(setting, parameters);
    }

    /** PREPARE may name a user variable instead of a text: its value is read in the same session. */
    @Override
    public String preparedText(Connection connection, String sql) throws SQLException {
        return PreparedTexts.read(connection, reader.read(sql));
    }

    /**
     * Both modes change where a string ends, and a client can set them at any time by SQL, so that the session is
     * asked.
     */
    @Override
    public void requireDefaultQuoting(Connection connection) throws SQLException {
        String mode = Queries.texts(connection, "SELECT @@SESSION.sql_mode").get(0);
        if (mode.contains("NO_BACKSLASH_ESCAPES") || mode.contains("ANSI_QUOTES")) {
            throw new SQLFeatureNotSupportedException(
                    "a backslash before a quote under NO_BACKSLASH_ESCAPES or ANSI_QUOTES in sql_mode is not supported through Multimed: write two quotes, or use a parameter",
                    "0A000");
        }
    }
}
