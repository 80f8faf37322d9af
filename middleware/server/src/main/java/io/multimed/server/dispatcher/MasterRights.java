package io.multimed.server.dispatcher;

import io.multimed.engine.Engine;
import io.multimed.engine.sql.ReadRights;
import io.multimed.server.dispatcher.rights.RoleRights;
import io.multimed.server.propagation.commit.Master;
import java.sql.Connection;
import java.sql.SQLException;

/** Reads the rights of roles from the master's catalog. */
final class MasterRights implements RoleRights.Source {
    private final Master master;
    private final Engine engine;

    /** Used by the thread that reads the rights. */
    private String sessions = "";

    MasterRights(Master master) {
        this.master = master;
        this.engine = master.node().engine();
    }

    @Override
    public Connection open() throws SQLException {
        return master.connect();
    }

    @Override
    public ReadRights rights(Connection connection, String role) throws SQLException {
        return engine.readRights(connection, role, () -> master.loginOf(role));
    }

    @Override
    public String state(Connection connection) throws SQLException {
        Engine.RoleState now = engine.roleState(connection);
        if (!now.sessions().equals(sessions)) {
            sessions = now.sessions();
            master.reopenRoles();
        }
        return now.rights();
    }

    @Override
    public void awaitVisibility() throws SQLException, InterruptedException {
        master.awaitVisibility();
    }
}
