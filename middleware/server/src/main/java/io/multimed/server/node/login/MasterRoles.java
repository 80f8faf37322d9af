// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.login;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.RolePoolOpener;
import io.multimed.server.node.group.GroupWorkers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens pools of connections to the master that run as roles of users. On an engine that belongs to Multimed, a role
 * that does not exist is created, and its password is random; for an external engine the System Model contains the
 * password. Thread-safe.
 */
public final class MasterRoles implements RolePoolOpener {
    private static final Logger LOG = LoggerFactory.getLogger(MasterRoles.class);

    /**
     * Least time between two new passwords of a role. A new one changes the engine's accounts, after which some engines
     * need new connections of all roles: a role whose logins always fail must not cause this at each statement.
     */
    private static final long NEW_PASSWORD_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Engine engine;
    private final NodeAccess access;
    private final int connections;
    private final boolean durableCommits;
    private final long epoch;

    /**
     * The accesses of roles that have been used. Only roles of the middleware's own users, which the administrator has
     * defined: passwords of clients that are passed through are in {@link #passed}.
     */
    private final Map<String, NodeAccess> known = new ConcurrentHashMap<>();

    /** When the middleware has last discarded the passwords of {@link #known} roles, by {@link System#nanoTime}. */
    private final Map<String, Long> discarded = new ConcurrentHashMap<>();

    /** Passwords of the System Model, by role. */
    private volatile Map<String, String> passwords = Map.of();

    private volatile boolean external;

    /** Roles of the users that the middleware knows itself. It creates no others, and changes no others' passwords. */
    private volatile Supplier<Set<String>> ofUsers = Set::of;

    /** Roles that are users themselves, with passwords that are not in the System Model. */
    private final PassedRoles passed = new PassedRoles();

    public MasterRoles(Engine engine, NodeAccess access, int connections, boolean durableCommits, long epoch) {
        this.engine = engine;
        this.access = access;
        this.connections = connections;
        this.durableCommits = durableCommits;
        this.epoch = epoch;
    }

    /**
     * Determines how the middleware connects as roles, from the next pool that is opened on.
     *
     * @param passwordsOfRoles as far as the System Model contains them
     * @param isExternal whether the engine does not belong to Multimed, which therefore changes no roles
     * @param rolesOfUsers returns the roles of the present users, which the middleware may change
     * @return whether a password has changed of a role that has been used
     */
    public synchronized boolean permit(
            Map<String, String> passwordsOfRoles, boolean isExternal, Supplier<Set<String>> rolesOfUsers) {
        Map<String, String> before = passwords;
        passwords = Map.copyOf(passwordsOfRoles);
        external = isExternal;
        ofUsers = rolesOfUsers;
        return known.keySet().removeIf(role -> !Objects.equals(before.get(role), passwords.get(role)));
    }

    /**
     * Creates the roles of users that do not exist, so that an administrator can grant privileges to them before the
     * users connect. Has no effect on an external engine. A role that cannot be used is logged: its users receive the
     * error.
     */
    public synchronized void create() {
        for (String role : ofUsers.get()) {
            if (!external && !passwords.containsKey(role) && !known.containsKey(role)) {
                try {
                    known.put(role, access(role));
                } catch (SQLException e) {
                    LOG.error("{}: the users with the role \"{}\" cannot run statements", access.node(), role, e);
                }
            }
        }
    }

    /** Returns the logins of clients as roles of the master, whose pools belong to a node. */
    public RoleLogins logins(ComputationalNode node, GroupWorkers groups) {
        return new RoleLogins() {
            @Override
            public void check(String role, String password) throws SQLException {
                engine.checkLogin(access, access.as(role, password));
            }

            @Override
            public long moment() {
                return passed.moment();
            }

            @Override
            public @Nullable RoleLogin enter(String role, String password, long checkedSince) {
                if (!passed.enter(role, password, checkedSince)) {
                    return null;
                }
                node.renewRolePassword(role);
                return () -> passed.leave(role);
            }

            @Override
            public void closeUnused() {
                node.closeUnusedRoles();
                groups.closeRoles(MasterRoles.this::isUnused);
            }
        };
    }

    /** Returns whether a role belongs to no user that the middleware knows, and to no client that is connected. */
    private boolean isUnused(String role) {
        return !passed.isPresent(role) && !ofUsers.get().contains(role);
    }

    @Override
    public @Nullable String passwordOfClients(String role) {
        return passwords.containsKey(role) ? null : passed.open(role);
    }

    @Override
    public boolean takeUnused(String role) {
        return passed.takeUnused(role);
    }

    @Override
    public synchronized ConnectionPool open(String role, boolean reads) throws SQLException {
        return engine.rolePool(access, login(role), connections, reads, durableCommits, epoch);
    }

    /** Opens a connection for statements of a role inside commit groups, see {@link Engine#connectGroup}. */
    public Connection openGroup(String role) throws SQLException {
        try {
            return connectGroup(role);
        } catch (SQLException e) {
            if (!NodeAccess.isRefusal(e) || !refused(role)) {
                throw e;
            }
        }
        return connectGroup(role);
    }

    private Connection connectGroup(String role) throws SQLException {
        NodeAccess asRole = login(role);
        try (Connection own = engine.connectOwn(access)) {
            return engine.connectGroup(own, asRole, role, epoch);
        }
    }

    /** Returns the access as a role, which is created if it does not exist. */
    public synchronized NodeAccess login(String role) throws SQLException {
        String ofClient = passwordOfClients(role);
        if (ofClient != null) {
            return access.as(role, ofClient);
        }
        NodeAccess asRole = known.get(role);
        if (asRole == null) {
            asRole = access(role);
            known.put(role, asRole);
        }
        return asRole;
    }

    /** A role may change its own password: on an engine that belongs to Multimed, the next pool sets a new one. */
    @Override
    public synchronized boolean refused(String role) {
        if (external || passwords.containsKey(role) || !known.containsKey(role)) {
            return false;
        }
        long now = System.nanoTime();
        Long before = discarded.get(role);
        if (before != null && now - before < NEW_PASSWORD_NANOS) {
            return false;
        }
        discarded.put(role, now);
        known.remove(role);
        return true;
    }

    private NodeAccess access(String role) throws SQLException {
        String password = passwords.get(role);
        if (password != null) {
            return access.as(role, password);
        }
        if (external) {
            throw new SQLException(
                    "the System Model contains no password of the role \"%s\" on %s, which is an external engine: set role-password-file of the user in listen.users"
                            .formatted(role, access.node()),
                    "28000");
        }
        if (!ofUsers.get().contains(role)) {
            // The last client has left while a connection was to be opened: the password is not the middleware's.
            throw new SQLException(
                    "no user of the middleware has the role \"%s\", and no client of the role is connected"
                            .formatted(role),
                    "28000");
        }
        try (Connection own = engine.connectOwn(access)) {
            return engine.enableRole(own, access, role);
        }
    }
}
