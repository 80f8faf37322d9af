package io.multimed.engine.mysql;

import io.multimed.engine.dialect.LastKeys;
import io.multimed.engine.dialect.SessionSettings;
import io.multimed.engine.dialect.SessionWatch;
import io.multimed.engine.mysql.connection.MySqlSessions;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.mysql.master.DdlPropagation;
import io.multimed.engine.mysql.result.MySqlLastKeys;
import io.multimed.engine.mysql.sql.PreparedTexts;
import io.multimed.engine.sql.SqlReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Optional;

/** Watches and resets the sessions of MariaDB and MySQL. */
final class MySqlSessionSettings implements SessionSettings {
    private static final LastKeys LAST_KEYS = new MySqlLastKeys();

    private final SqlReader reader;

    /** @param reader parses the texts that sessions have prepared */
    MySqlSessionSettings(SqlReader reader) {
        this.reader = reader;
    }

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

    @Override
    public Optional<LastKeys> lastKeys() {
        return Optional.of(LAST_KEYS);
    }

    @Override
    public String preparedText(Connection connection, String sql) throws SQLException {
        return PreparedTexts.read(connection, reader.read(sql));
    }

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
