// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.compatibility.embedded;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A primary and a standby, which the dispatcher within the application does not start, with the table {@code item} of
 * 100 rows.
 */
final class PrimaryAndStandby implements AutoCloseable {
    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final RunningEngine primary;
    private final RunningEngine standby;
    private final Path model;

    /**
     * Starts the engines.
     *
     * @param folder in which the file of the System Model is written
     * @param settings lines of the System Model
     */
    PrimaryAndStandby(Path folder, String settings) throws Exception {
        primary = Launchers.startPrimary(node("primary", Role.MASTER), "shop", state);
        standby = Launchers.startStandby(node("replica", Role.SATELLITE), primary, "shop", state);
        model = Files.writeString(
                folder.resolve("shop.yaml"),
                settings
                        + """
                propagation: log
                database: shop
                nodes:
                - {name: primary, role: master, source: external, url: "%s", user: %s, password: "%s", pool: 8}
                - {name: replica, role: satellite, source: external, url: "%s", user: %s, password: "%s", pool: 8}
                """.formatted(
                                        primary.jdbcUrl(),
                                        primary.user(),
                                        primary.password(),
                                        standby.jdbcUrl(),
                                        standby.user(),
                                        standby.password()));
        try (Connection setup = connect();
                Statement create = setup.createStatement()) {
            create.execute("CREATE TABLE item (id int PRIMARY KEY, v int NOT NULL)");
            create.execute("INSERT INTO item SELECT i, 0 FROM generate_series(1, 100) i");
        }
    }

    private static NodeSpec node(String name, Role role) {
        return NodeSpec.embedded(name, role, "postgresql", CoreSet.ALL, Storage.MEMORY);
    }

    RunningEngine primary() {
        return primary;
    }

    RunningEngine standby() {
        return standby;
    }

    /** Returns the file of the System Model. */
    Path model() {
        return model;
    }

    /** Opens a connection to the dispatcher within this process. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection("jdbc:multimed:embedded:" + model);
    }

    @Override
    public void close() {
        standby.close();
        primary.close();
        state.discard();
    }
}
