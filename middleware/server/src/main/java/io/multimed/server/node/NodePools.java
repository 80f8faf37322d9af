// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connection pools of a node. Replaced only by the owner of the node, when its engine becomes reachable or is lost;
 * used by all threads of the node.
 */
final class NodePools {
    private final String name;
    private final Supplier<String> state;

    /** Null while the engine is not reachable. */
    private volatile @Nullable ConnectionPool pool;

    /**
     * Connections for single reads; null if all connections are alike. Replaced together with {@link #pool}.
     */
    private volatile @Nullable ConnectionPool readers;

    /** The pools of roles; null if the node has none. Replaced together with {@link #pool}. */
    private volatile @Nullable RolePools roles;

    private final AtomicInteger generation = new AtomicInteger();

    /**
     * @param name name of the node
     * @param state returns the state of the node and its reason, for the message of an error
     */
    NodePools(String name, Supplier<String> state) {
        this.name = name;
        this.state = state;
    }

    /** Replaces all pools, and closes the old ones. Transactions that are open on their connections are rolled back. */
    void attach(
            @Nullable ConnectionPool next, @Nullable ConnectionPool nextReaders, @Nullable RolePoolOpener nextRoles) {
        ConnectionPool old = pool;
        ConnectionPool oldReaders = readers;
        RolePools oldRoles = roles;
        pool = next;
        readers = nextReaders;
        roles = nextRoles == null ? null : new RolePools(nextRoles);
        if (oldRoles != null) {
            oldRoles.close();
        }
        for (ConnectionPool replaced : new ConnectionPool[] {old, oldReaders}) {
            if (replaced != null) {
                replaced.close();
            }
        }
        generation.incrementAndGet();
    }

    /** Closes all existing connections, those in use after their transaction. */
    void renew() {
        for (ConnectionPool current : new ConnectionPool[] {pool, readers}) {
            if (current != null) {
                current.renew();
            }
        }
        RolePools ofRoles = roles;
        if (ofRoles != null) {
            ofRoles.renew();
        }
        generation.incrementAndGet();
    }

    /** Closes the existing connections of roles, those in use after their transaction. */
    void renewRoles() {
        RolePools ofRoles = roles;
        if (ofRoles != null) {
            ofRoles.renew();
        }
    }

    /** Replaces the pools of roles: the next use of each opens a new one. Connections in use end their transactions. */
    void reopenRoles() {
        RolePools ofRoles = roles;
        if (ofRoles != null) {
            ofRoles.reopen();
            generation.incrementAndGet();
        }
    }

    /** Uses the last password that a client of a role has sent, for the connections that are opened from now on. */
    void renewRolePassword(String role) {
        RolePools ofRoles = roles;
        if (ofRoles != null) {
            ofRoles.renewPassword(role);
        }
    }

    /** Closes the pools of roles that are not needed any more; may block for seconds. */
    void closeUnusedRoles() {
        RolePools ofRoles = roles;
        if (ofRoles != null) {
            ofRoles.closeUnused();
        }
    }

    /**
     * Returns a number that increases after connections have been renewed: a connection that was taken before must not
     * be used for another transaction.
     */
    int generation() {
        return generation.get();
    }

    /** Returns whether requests wait for a connection that a pool could not open for a while. */
    boolean isStarved() {
        ConnectionPool current = pool;
        ConnectionPool reading = readers;
        return (current != null && current.isStarved()) || (reading != null && reading.isStarved());
    }

    /** Returns the pool for reads, or for all statements; null while the engine is not reachable. */
    @Nullable
    ConnectionPool attachedFor(boolean reads) {
        ConnectionPool reading = readers;
        return reads && reading != null ? reading : pool;
    }

    /**
     * Returns the pool from which {@link #connection(String, boolean)} has taken a connection; null if it has been
     * closed since.
     */
    @Nullable
    ConnectionPool attachedFor(@Nullable String role, boolean reads) {
        if (role == null) {
            return attachedFor(reads);
        }
        RolePools ofRoles = roles;
        return ofRoles == null ? null : ofRoles.existing(role, reads);
    }

    /**
     * Returns a connection; blocks until the pool has one, within the pool's time limit.
     *
     * @param role as which the connection runs; null for the node's own user
     * @throws SQLException 57P03 while no pool is attached; 08001 if the engine cannot be reached; the engine's error
     * if the role cannot log in
     */
    Connection connection(@Nullable String role, boolean reads) throws SQLException {
        if (role == null) {
            return connection(reads);
        }
        RolePools ofRoles = roles;
        if (ofRoles == null) {
            throw new SQLException("node %s is %s".formatted(name, state.get()), "57P03");
        }
        try {
            return connection(ofRoles, role, reads);
        } catch (SQLException e) {
            throw asRole(role, e);
        }
    }

    private static Connection connection(RolePools ofRoles, String role, boolean reads) throws SQLException {
        ConnectionPool current = ofRoles.of(role, reads);
        try {
            return current.getConnection();
        } catch (SQLException e) {
            if (!(rootOf(e) instanceof SQLException root && NodeAccess.isRefusal(root))
                    || !ofRoles.refused(role, reads, current)) {
                throw e;
            }
        }
        return ofRoles.of(role, reads).getConnection();
    }

    private SQLException asRole(String role, SQLException cause) {
        Throwable root = rootOf(cause);
        return new SQLException(
                "node %s: no connection as the role \"%s\": %s".formatted(name, role, rootMessage(cause)),
                root instanceof SQLException failure ? stateOf(failure) : "08001",
                cause);
    }

    private static String stateOf(SQLException failure) {
        if (NodeAccess.isRefusal(failure)) {
            return "28000";
        }
        return "0A000".equals(failure.getSQLState()) ? "0A000" : "08001";
    }

    /** Keeps an earlier interrupt of the thread for later: the pool would refuse a connection because of it. */
    private Connection connection(boolean reads) throws SQLException {
        boolean interrupted = Thread.interrupted();
        try {
            return ownConnection(reads);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private Connection ownConnection(boolean reads) throws SQLException {
        ConnectionPool current = attached(reads);
        try {
            return current.getConnection();
        } catch (SQLException e) {
            ConnectionPool next = attachedFor(reads);
            if (next == null || next == current) {
                throw unreachable(e);
            }
        }
        try {
            return attached(reads).getConnection(); // another thread has attached new pools: the engine is back
        } catch (SQLException e) {
            throw unreachable(e);
        }
    }

    private ConnectionPool attached(boolean reads) throws SQLException {
        ConnectionPool current = attachedFor(reads);
        if (current == null) {
            throw new SQLException("node %s is %s".formatted(name, state.get()), "57P03");
        }
        return current;
    }

    private SQLException unreachable(SQLException cause) {
        return new SQLException("node %s cannot be reached: %s".formatted(name, rootMessage(cause)), "08001", cause);
    }

    private static String rootMessage(Throwable failure) {
        return String.valueOf(rootOf(failure).getMessage());
    }

    private static Throwable rootOf(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root;
    }
}
