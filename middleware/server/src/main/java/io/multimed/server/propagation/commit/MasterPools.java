// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.group.GroupWorkers;
import io.multimed.server.node.login.MasterRoles;
import io.multimed.server.node.login.RoleLogins;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** The pools of connections to the master for clients' statements, outside and inside of commit groups. Thread-safe. */
public final class MasterPools {
    /**
     * Maximum number of statements that run inside a group concurrently. This keeps the engine's cores busy, because
     * these statements do not wait for the disk.
     */
    private static final int MAX_GROUP_WORKERS = 16;

    private final ComputationalNode node;
    private final NodeAccess access;
    private final Engine engine;
    private final boolean durable;
    private final int size;
    private final int isolation;
    private final long epoch;
    private final GroupWorkers groupWorkers;
    private final MasterRoles roles;

    /**
     * Opens the pools.
     *
     * @param durable whether commits on the connections wait for the disk
     * @param size number of connections
     * @param isolation the isolation level with which sessions begin, a constant of {@link java.sql.Connection}
     * @param epoch in which the master admits the connections
     */
    static MasterPools open(
            ComputationalNode node,
            NodeAccess access,
            boolean durable,
            int size,
            int isolation,
            long epoch,
            CriticalThreads criticalThreads) {
        MasterPools pools = new MasterPools(node, access, durable, size, isolation, epoch, criticalThreads);
        boolean done = false;
        try {
            pools.open();
            done = true;
            return pools;
        } finally {
            if (!done) {
                pools.groupWorkers.close();
            }
        }
    }

    private void open() {
        if (engine.groupsRoles()) {
            groupWorkers.serveRoles(roles::openGroup);
        }
        attach();
    }

    private MasterPools(
            ComputationalNode node,
            NodeAccess access,
            boolean durable,
            int size,
            int isolation,
            long epoch,
            CriticalThreads criticalThreads) {
        this.node = node;
        this.access = access;
        this.engine = node.engine();
        this.durable = durable;
        this.size = size;
        this.isolation = isolation;
        this.epoch = epoch;
        this.groupWorkers = new GroupWorkers(node.name(), engine, newGroupPool(), groupWorkerCount(), criticalThreads);
        this.roles = new MasterRoles(engine, access, size, durable, epoch);
    }

    private void attach() {
        node.attach(
                engine.masterPool(access, size, durable, isolation, epoch),
                engine.masterReaderPool(access, size, epoch),
                roles);
    }

    private int groupWorkerCount() {
        return Math.min(size, MAX_GROUP_WORKERS);
    }

    private ConnectionPool newGroupPool() {
        return engine.groupPool(access, groupWorkerCount(), epoch);
    }

    /** Returns the threads and connections for statements that run inside commit groups. */
    public GroupWorkers groupWorkers() {
        return groupWorkers;
    }

    /**
     * Determines how the middleware connects as roles of users. Connections with previous passwords are closed
     * after their transactions, at the latest after a minute.
     *
     * @param passwords by role, as far as the System Model contains them
     * @param external whether the engine does not belong to Multimed, which therefore changes no roles
     * @param present returns the roles of the present users; those that do not exist are created
     */
    public void permitRoles(Map<String, String> passwords, boolean external, Supplier<Set<String>> present) {
        if (roles.permit(passwords, external, present)) {
            node.reopenRoles();
            groupWorkers.reopenRoles();
        }
        roles.create();
    }

    /** Returns the logins of clients as roles of the engine. */
    public RoleLogins roleLogins() {
        return roles.logins(node, groupWorkers);
    }

    public NodeAccess loginOf(String role) throws SQLException {
        return roles.login(role);
    }

    /**
     * Opens the connections of roles again; those in use end with their transactions, pinned ones when their clients
     * release them.
     */
    public void reopenRoles() {
        node.renewRoles();
        groupWorkers.reopenRoles();
    }

    /** Makes all further statements of clients use new connections; those in use end with their transactions. */
    public void renewConnections() {
        node.renewConnections();
        groupWorkers.renewConnections();
    }

    /** Notes a change of the schema that is visible now: connections discard the statements that they have prepared. */
    public void noteSchemaChange() {
        node.noteSchemaChange();
        groupWorkers.noteSchemaChange();
    }

    /** Replaces all pools, after the engine was stopped and started. */
    void replace() {
        attach();
        groupWorkers.renew(newGroupPool());
    }

    /**
     * Replaces the pools that are starved, after the master has become reachable again. A pool that waits for an engine
     * retries at growing intervals; a new pool connects immediately. Pools are replaced only then, because closing a
     * pool aborts the connections that it has just opened.
     */
    void replaceStarved() {
        if (node.isStarved()) {
            attach();
        }
        if (groupWorkers.isStarved()) {
            groupWorkers.renew(newGroupPool());
        }
    }
}
