// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import com.mysql.cj.jdbc.JdbcConnection;
import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.mysql.connection.Queries;
import io.multimed.engine.mysql.connection.RoleSession;
import io.multimed.engine.mysql.connection.SessionChanges;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.pool.PasswordChange;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to the master that run as the account of a role. A connection of the middleware's own registers
 * each of them: the account may neither read the number of the epoch nor admit a connection itself.
 */
public final class RoleConnections implements DataSource, PasswordChange {
    private static final long IDLE_MILLIS = TimeUnit.SECONDS.toMillis(30);

    /** Limits the time for which privileges on a database apply that were revoked past Multimed. */
    private static final long LIFETIME_MILLIS = TimeUnit.SECONDS.toMillis(60);

    private final NodeAccess master;
    private final String url;
    private final Properties properties; // thread-safe, as all objects of this class
    private final long epoch;

    private RoleConnections(NodeAccess master, String url, Properties properties, long epoch) {
        this.master = master;
        this.url = url;
        this.properties = properties;
        this.epoch = epoch;
    }

    /**
     * Creates a pool.
     *
     * @param master the access as the master's user
     * @param access the access as the role
     * @param reads whether the engine refuses all changes on the connections, which are in auto-commit then
     */
    public static ConnectionPool pool(NodeAccess master, NodeAccess access, int size, boolean reads, long epoch) {
        HikariConfig config = Connections.pool(access, size, reads ? "role-reader" : "role");
        Properties properties = new Properties();
        config.getDataSourceProperties()
                .forEach((name, value) -> properties.setProperty((String) name, (String) value));
        RoleConnections source = new RoleConnections(master, config.getJdbcUrl(), properties, epoch);
        config.setDataSource(source);
        config.setDataSourceProperties(new Properties());
        config.setJdbcUrl(null);
        config.setMinimumIdle(0);
        config.setIdleTimeout(IDLE_MILLIS);
        config.setAutoCommit(reads);
        config.setReadOnly(reads);
        config.setMaxLifetime(LIFETIME_MILLIS);
        return new HikariConnectionPool(config);
    }

    @Override
    public void setPassword(String password) {
        properties.setProperty("password", password);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection opened = DriverManager.getConnection(url, properties);
        try {
            Queries.execute(opened, "SET SESSION " + SessionChanges.TELL_ALL);
            String account = Queries.texts(opened, "SELECT CURRENT_USER()").get(0);
            admit(opened, account);
            return opened;
        } catch (SQLException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private void admit(Connection opened, String account) throws SQLException {
        String secret = RoleSession.newSecret();
        long session = opened.unwrap(JdbcConnection.class).getId();
        try (Connection own = Connections.own(master)) {
            RoleAccounts.permitSeals(own, account);
            Queries.execute(own, "REPLACE INTO multimed.role_session VALUES (%d, '%s', 0)".formatted(session, secret));
            Queries.execute(own, "CALL multimed.register(%d, %d)".formatted(session, epoch)); // which commits
        }
        RoleSession.register(opened, secret, () -> {
            try (Connection own = Connections.own(master)) {
                RoleAccounts.permitSeals(own, account);
            }
        });
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the pool connects as one role only");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the pool does not log");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("not a wrapper for " + type.getName());
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
