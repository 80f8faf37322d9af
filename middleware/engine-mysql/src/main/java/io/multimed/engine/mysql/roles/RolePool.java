package io.multimed.engine.mysql.roles;

import com.zaxxer.hikari.HikariConfig;
import io.multimed.engine.mysql.connection.RoleSession;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.HikariConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A pool of connections that run as a role. A session keeps the privileges on its database that it had at its
 * beginning: after {@link #renew}, the pool leases only connections that have been opened since. Thread-safe.
 */
final class RolePool implements ConnectionPool {
    private final RoleConnections source;
    private final ConnectionPool pool;

    RolePool(HikariConfig config, RoleConnections source) {
        this.source = source;
        this.pool = new HikariConnectionPool(config);
    }

    /**
     * Leases a connection that was opened after the last {@link #renew} before this call. A later one is of no
     * importance: if each of them made the wait begin again, a role that changes privileges in a loop, which renews the
     * connections of all roles, would keep all others from their connections.
     */
    @Override
    public Connection getConnection() throws SQLException {
        long least = source.generation();
        while (true) {
            Connection leased = pool.getConnection();
            RoleSession session = RoleSession.of(leased);
            if (session != null && session.generation() >= least) {
                return leased;
            }
            pool.evict(leased);
        }
    }

    @Override
    public void evict(Connection leased) {
        pool.evict(leased);
    }

    @Override
    public void renew() {
        source.beginGeneration();
        pool.renew();
    }

    @Override
    public void setPassword(String password) {
        source.setPassword(password);
    }

    @Override
    public boolean isEmpty() {
        return pool.isEmpty();
    }

    @Override
    public boolean isStarved() {
        return pool.isStarved();
    }

    @Override
    public void close() {
        pool.close();
    }
}
