// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.roles;

import io.multimed.deploy.launcher.LaunchedEngine;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.engine.conformance.Sql;
import io.multimed.engine.master.MasterStore;
import io.multimed.engine.mysql.MariaDbEngine;
import io.multimed.engine.mysql.MySqlEngine;
import io.multimed.engine.mysql.connection.Connections;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.engine.writeset.ReplicatedTables;
import java.sql.Connection;
import java.sql.SQLException;

/** A master with Multimed's tables, and the account {@code kim} of a role. */
public final class RoleMaster implements AutoCloseable {
    public static final String ACCOUNT = "kim";
    private static final String PASSWORD = "kim1";

    private final LaunchedEngine engine;
    private final MasterStore store;
    private Connection fencing;
    private final long epoch;

    public RoleMaster(String name) throws SQLException {
        engine = new LaunchedEngine(name);
        fencing = connect();
        store = (name.equals("mysql") ? new MySqlEngine() : new MariaDbEngine()).masterStore();
        store.fencing().endForeignSessions(fencing);
        store.capture().install(fencing, ReplicatedTables.ALL, false);
        epoch = store.fencing().takeOver(fencing);
        run(
                "CREATE TABLE item (id INT PRIMARY KEY)",
                "CREATE USER %s IDENTIFIED BY '%s'".formatted(ACCOUNT, PASSWORD),
                "GRANT SELECT, CREATE ON shop.* TO " + ACCOUNT);
    }

    public MasterStore store() {
        return store;
    }

    /** Returns the access as the master's user. */
    public NodeAccess access() {
        RunningEngine running = engine.running();
        return new NodeAccess("master", running.jdbcUrl(), running.user(), running.password());
    }

    /** Returns the access as the account. */
    public NodeAccess role() {
        return access().as(ACCOUNT, PASSWORD);
    }

    /** Opens a connection as the master's user, with auto-commit off. */
    public Connection connect() throws SQLException {
        return Connections.own(access());
    }

    /** Runs statements as the master's user. */
    public void run(String... statements) throws SQLException {
        try (Connection own = connect()) {
            own.setAutoCommit(true);
            Sql.run(own, statements);
        }
    }

    /** Returns the connection that holds the named lock of the middleware. */
    public Connection fencing() {
        return fencing;
    }

    /** Keeps other middlewares out again, with another connection. */
    public void keepOut() throws SQLException {
        fencing.close();
        fencing = connect();
        store.fencing().endForeignSessions(fencing);
    }

    /** Opens a pool of the account. */
    public ConnectionPool pool() {
        return RoleConnections.pool(access(), role(), 2, false, epoch);
    }

    @Override
    public void close() throws SQLException {
        fencing.close();
        engine.close();
    }
}
