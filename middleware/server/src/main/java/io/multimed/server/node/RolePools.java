package io.multimed.server.node;

import io.multimed.engine.pool.ConnectionPool;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * The connection pools of a node whose connections run as engine roles: for each role one pool for transactions and one
 * for single reads, opened at the first use. The administrator defines the roles, and thereby their number; the node
 * leases at most as many connections at the same time as without roles, and idle connections of roles are soon closed.
 * Thread-safe; the lock is held while a pool is opened, which waits for the engine at the first use of a role only.
 */
final class RolePools {
    private final RolePoolOpener opener;

    /** Guarded by this. */
    private final Map<Key, ConnectionPool> pools = new HashMap<>();

    private record Key(String role, boolean reads) {}

    RolePools(RolePoolOpener opener) {
        this.opener = opener;
    }

    /** Returns the pool of a role, and opens it if necessary. */
    synchronized ConnectionPool of(String role, boolean reads) throws SQLException {
        Key key = new Key(role, reads);
        ConnectionPool open = pools.get(key);
        if (open == null) {
            open = opener.open(role, reads);
            pools.put(key, open);
        }
        return open;
    }

    /**
     * Closes the pools of a role as which the engine has refused to log in, unless this has been done since.
     *
     * @param failed the pool without connection
     * @return whether the next use of the role may succeed
     */
    synchronized boolean refused(String role, boolean reads, ConnectionPool failed) {
        if (pools.get(new Key(role, reads)) != failed) {
            return true;
        }
        if (!opener.refused(role)) {
            return false;
        }
        for (boolean each : new boolean[] {false, true}) {
            ConnectionPool outdated = pools.remove(new Key(role, each));
            if (outdated != null) {
                outdated.close();
            }
        }
        return true;
    }

    /** Closes all existing connections, those in use after their transaction. */
    synchronized void renew() {
        pools.values().forEach(ConnectionPool::renew);
    }

    /** Closes all pools; the next use opens new ones. */
    synchronized void close() {
        pools.values().forEach(ConnectionPool::close);
        pools.clear();
    }
}
