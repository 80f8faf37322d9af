// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import io.multimed.deploy.cluster.Cluster;
import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.SystemModel;
import io.multimed.model.value.CoreSet;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** A primary and a standby that run already, and a middleware in front of them that has an ordinary role. */
final class ExternalCluster implements AutoCloseable {
    private static final String ENGINE = "postgresql";

    private final StateFolder engines = StateFolder.temporary("multimed-test-");
    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final RunningEngine primary;
    private final RunningEngine standby;
    private final Cluster cluster;

    ExternalCluster() throws Exception {
        primary = Launchers.startPrimary(node("primary", Role.MASTER), "shop", engines);
        standby = Launchers.startStandby(node("replica", Role.SATELLITE), primary, "shop", engines);
        try (Connection superuser = TestModels.direct(primary);
                Statement statement = superuser.createStatement()) {
            statement.execute("CREATE ROLE app LOGIN PASSWORD 'app'");
            statement.execute("GRANT CREATE ON SCHEMA public TO app");
        }
        cluster = Cluster.start(model(), state, step -> {});
        cluster.awaitSatellites();
    }

    private static NodeSpec node(String name, Role role) {
        return NodeSpec.embedded(name, role, ENGINE, CoreSet.ALL, Storage.MEMORY);
    }

    SystemModel model() throws ModelException {
        return SystemModel.parse("""
                engine: postgresql
                propagation: log
                listen: {port: 0}
                database: shop
                nodes:
                - {name: primary, role: master, source: external, url: "%s", user: app, password: app, pool: 16}
                - {name: replica, role: satellite, source: external, url: "%s", user: app, password: app, pool: 16}
                """.formatted(primary.jdbcUrl(), standby.jdbcUrl()), "test");
    }

    RunningEngine primary() {
        return primary;
    }

    RunningEngine standby() {
        return standby;
    }

    Cluster cluster() {
        return cluster;
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(cluster.middleware().jdbcUrl());
    }

    /** Stops the middleware only. */
    void stopMiddleware() {
        cluster.close();
    }

    @Override
    public void close() {
        cluster.close();
        standby.close();
        primary.close();
        state.discard();
        engines.discard();
    }
}
