// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.pool.ConnectionPool;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The connection pools of a node whose connections run as engine roles: for each role one pool for transactions and one
 * for single reads, opened at the first use. The administrator defines the roles of the middleware's own users, and
 * thereby their number; pools of roles that are passed through exist only while clients of theirs are connected. The
 * node leases at most as many connections at the same time as without roles, and idle connections of roles are soon
 * closed. Thread-safe; the lock is held while a pool is opened, which waits for the engine at the first use of a role
 * only.
 */
final class RolePools {
    private final RolePoolOpener opener;

    /** Guarded by this. */
    private final Map<Key, ConnectionPool> pools = new HashMap<>();

    /** Pools whose connections end with their transactions. Guarded by this. */
    private final List<Retired> retired = new ArrayList<>();

    /** A pool of clients that have left is closed after this time even if it still has connections. */
    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(1);

    private record Key(String role, boolean reads) {}

    private record Retired(ConnectionPool pool, long since) {
        boolean isOver(long now) {
            return pool.isEmpty() || now - since > MAX_NANOS;
        }
    }

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

    /** Returns the open pool of a role; null if there is none. */
    synchronized @Nullable ConnectionPool existing(String role, boolean reads) {
        return pools.get(new Key(role, reads));
    }

    /** Uses the last password that a client of a role has sent, for the connections that are opened from now on. */
    synchronized void renewPassword(String role) {
        for (boolean reads : new boolean[] {false, true}) {
            ConnectionPool open = pools.get(new Key(role, reads));
            String password = open == null ? null : opener.passwordOfClients(role);
            if (open != null && password != null) {
                open.setPassword(password);
            }
        }
    }

    /** Closes the pools of roles that are not needed any more. Called periodically; may block for seconds. */
    void closeUnused() {
        takeOver().forEach(ConnectionPool::close);
    }

    /** Retires unused pools, and returns those retired ones that have no connections left. */
    private synchronized List<ConnectionPool> takeOver() {
        long now = System.nanoTime();
        Set<String> roles = pools.keySet().stream().map(Key::role).collect(Collectors.toSet());
        for (String role : roles) {
            if (opener.takeUnused(role)) {
                retire(role, now);
            }
        }
        List<ConnectionPool> over = retired.stream()
                .filter(each -> each.isOver(now))
                .map(Retired::pool)
                .toList();
        retired.removeIf(each -> over.contains(each.pool));
        return over;
    }

    private synchronized void retire(String role, long now) {
        for (boolean reads : new boolean[] {false, true}) {
            ConnectionPool unused = pools.remove(new Key(role, reads));
            if (unused != null) {
                unused.renew();
                retired.add(new Retired(unused, now));
            }
        }
    }

    /**
     * Replaces all pools: the next use of each opens a new one. Connections in use are closed after their transactions,
     * at the latest after a minute.
     */
    synchronized void reopen() {
        long now = System.nanoTime();
        pools.keySet().stream().map(Key::role).distinct().toList().forEach(role -> retire(role, now));
    }

    /**
     * Closes the pools of a role as which the engine has refused to log in, unless this has been done since. Open
     * transactions of the role are rolled back.
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

    /** Closes all pools, and rolls open transactions back; the next use opens new pools. */
    synchronized void close() {
        pools.values().forEach(ConnectionPool::close);
        pools.clear();
        retired.forEach(each -> each.pool.close());
        retired.clear();
    }
}
