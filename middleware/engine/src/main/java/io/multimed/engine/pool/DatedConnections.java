// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.util.DriverDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * Opens the connections of one pool, and remembers which of them began before the last renewal. HikariCP evicts the
 * connections that it has, but not one that is being opened: such a connection has the settings and the schema of the
 * time at which its session began. Thread-safe.
 */
final class DatedConnections implements DataSource {
    private final DataSource source;
    private final AtomicInteger renewals = new AtomicInteger();

    /** By connection of the engine's driver: the number of renewals before its session began. */
    @GuardedBy("itself")
    private final Map<Connection, Integer> opened = new WeakHashMap<>();

    /** @param config names a data source, or a URL */
    DatedConnections(HikariConfig config) {
        DataSource named = config.getDataSource();
        this.source = named == null
                ? new DriverDataSource(
                        config.getJdbcUrl(),
                        config.getDriverClassName(),
                        config.getDataSourceProperties(),
                        config.getUsername(),
                        config.getPassword())
                : named;
    }

    /** Returns what opens the connections. */
    DataSource source() {
        return source;
    }

    /** Begins the time of connections that are opened from now on. */
    void renew() {
        renewals.incrementAndGet();
    }

    int renewals() {
        return renewals.get();
    }

    /** Returns the number of renewals before the session of a leased connection began. */
    int renewalsBefore(Connection leased) throws SQLException {
        Connection own = leased.unwrap(Connection.class);
        synchronized (opened) {
            return opened.getOrDefault(own, 0);
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        int before = renewals.get();
        Connection connection = source.getConnection();
        synchronized (opened) {
            opened.put(connection, before);
        }
        return connection;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the user is that of the pool", "0A000");
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return source.getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        source.setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        source.setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return source.getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return source.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return source.unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return source.isWrapperFor(type);
    }
}
