// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import com.zaxxer.hikari.util.ConcurrentBag.IBagStateListener;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection pool of HikariCP. HikariCP opens the first connection in the background; the constructor does not wait
 * for it.
 */
public final class HikariConnectionPool implements ConnectionPool {
    private final DatedConnections opener;
    private final HikariDataSource pool;

    /** @param config as {@link Pools} prepares it */
    public HikariConnectionPool(HikariConfig config) {
        this.opener = new DatedConnections(config);
        config.setDataSource(opener);
        this.pool = new HikariDataSource(config);
    }

    /**
     * Never returns a connection that began before the last renewal before this call; at most as many are passed over
     * as there are. A later renewal is of no importance: if each of them made the wait begin again, a role that changes
     * privileges in a loop, which renews the connections of all roles, would keep all others from their connections.
     */
    @Override
    public Connection getConnection() throws SQLException {
        int least = opener.renewals();
        Connection connection = pool.getConnection();
        while (opener.renewalsBefore(connection) < least) {
            pool.evictConnection(connection);
            connection = pool.getConnection();
        }
        return connection;
    }

    @Override
    public void evict(Connection leased) {
        pool.evictConnection(leased);
    }

    @Override
    public void renew() {
        opener.renew();
        HikariPoolMXBean state = state();
        if (state != null) {
            state.softEvictConnections();
            replaceForWaiting(state);
        }
    }

    /**
     * Opens connections for threads that are waiting. HikariCP opens a connection when a wait begins. A new connection
     * that is evicted before the thread has received it would not be replaced, and the wait would fail.
     */
    private static void replaceForWaiting(HikariPoolMXBean state) {
        int waiting = state.getThreadsAwaitingConnection();
        if (waiting > 0 && state instanceof IBagStateListener opener) {
            opener.addBagItem(waiting);
        }
    }

    @Override
    public void setPassword(String password) {
        if (opener.source() instanceof PasswordChange source) {
            source.setPassword(password);
        } else {
            ConnectionPool.super.setPassword(password);
        }
    }

    @Override
    public boolean isEmpty() {
        HikariPoolMXBean state = state();
        return state == null || (state.getTotalConnections() == 0 && state.getThreadsAwaitingConnection() == 0);
    }

    @Override
    public boolean isStarved() {
        HikariPoolMXBean state = state();
        return state != null && state.getThreadsAwaitingConnection() > 0 && state.getTotalConnections() == 0;
    }

    /** Returns null if the pool has not opened a connection yet. */
    private @Nullable HikariPoolMXBean state() {
        return pool.getHikariPoolMXBean();
    }

    @Override
    public void close() {
        pool.close();
    }
}
