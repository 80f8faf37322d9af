// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher;

import io.multimed.engine.Engine;
import io.multimed.engine.dialect.CatalogReader;
import io.multimed.engine.sql.ReadRights;
import io.multimed.server.dispatcher.rights.PrivilegeCheck;
import io.multimed.server.dispatcher.rights.RoleRights;
import io.multimed.server.propagation.commit.Master;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.function.Consumer;

/** Reads the rights of roles from the master's catalog. */
final class MasterRights implements RoleRights.Source {
    private final Master master;
    private final Engine engine;
    private final PrivilegeCheck check;

    /** Used by the thread that reads the rights. */
    private String sessions = "";

    MasterRights(Master master) {
        this.master = master;
        this.engine = master.node().engine();
        this.check = new PrivilegeCheck(master.node());
    }

    @Override
    public Connection open() throws SQLException {
        return master.connect();
    }

    @Override
    public ReadRights rights(Connection connection, String role) throws SQLException {
        return engine.readRights(connection, role, () -> master.pools().loginOf(role));
    }

    @Override
    public String state(Connection connection) throws SQLException {
        Engine.RoleState now = engine.roleState(connection);
        if (!now.sessions().equals(sessions)) {
            sessions = now.sessions();
            master.pools().reopenRoles();
        }
        return now.rights();
    }

    @Override
    public void check(String role, String query, CatalogReader.Parameters parameters, Consumer<Boolean> then) {
        check.check(role, query, parameters, then);
    }

    @Override
    public void awaitVisibility() throws SQLException, InterruptedException {
        master.awaitVisibility();
    }
}
