// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.liveness;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.server.node.OpenConnections;
import java.sql.Connection;
import java.sql.SQLException;

/** Opens the connections to the master for the middleware's own work. Callers close them. Thread-safe. */
public final class MasterConnections {
    private final Engine engine;
    private final NodeAccess access;
    private final OpenConnections opened;

    public MasterConnections(Engine engine, NodeAccess access) {
        this.engine = engine;
        this.access = access;
        this.opened = new OpenConnections(engine);
    }

    /** Opens a connection with the middleware's own settings. */
    public Connection open() throws SQLException {
        return opened.add(reached(this::openAside));
    }

    /** Opens a connection that {@link #inUse} does not contain: it notices itself that the master does not respond. */
    public Connection openAside() throws SQLException {
        return engine.connectOwn(access);
    }

    /** Opens a connection with the settings of clients' connections, which determine what names stand for. */
    public Connection openWithDefaults() throws SQLException {
        return opened.add(reached(() -> engine.connect(access)));
    }

    /** Opens a connection that forces the log. */
    public Connection openForLog() throws SQLException {
        return opened.add(reached(() -> engine.connectLog(access)));
    }

    private Connection reached(ConnectionOpener opener) throws SQLException {
        try {
            return opener.open();
        } catch (SQLException e) {
            throw NodeAccess.isRefusal(e) ? access.unreached(e) : e;
        }
    }

    /** Records a connection that was opened before. */
    Connection add(Connection connection) throws SQLException {
        return opened.add(connection);
    }

    public OpenConnections inUse() {
        return opened;
    }
}
