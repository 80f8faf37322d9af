// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.multimed.deploy.fault.TestModels;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ExternalConnection;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A middleware with a master and a satellite beside it, and a satellite on another machine. */
final class RemoteCluster implements AutoCloseable {
    static final String NEAR = "satellite-1";
    static final String FAR = "satellite-2";

    /** Enough for a recovery on a slow machine. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final Map<String, RunningEngine> engines = new TreeMap<>();
    private final Middleware middleware;

    /**
     * Starts the middleware and the engines beside it.
     *
     * @param far access of the middleware to the satellite on the other machine
     */
    RemoteCluster(String engine, ExternalConnection far) throws Exception {
        SystemModel model = model(engine, far);
        for (NodeSpec node : model.nodes()) {
            if (!node.name().equals(FAR)) {
                engines.put(node.name(), Launchers.start(node, "shop", state));
            }
        }
        middleware = Middleware.start(model, this::access);
        awaitWhole();
    }

    private static SystemModel model(String engine, ExternalConnection far) throws Exception {
        return SystemModel.parse(
                "engine: " + engine
                        + """

                listen: {port: 0}
                database: shop
                share-cores: true
                queue: {bound: 64k, drop-after: 1m, kept-size: 16m}
                nodes:
                - {name: master, role: master, memory: 128m, pool: 8}
                - {name: %s, role: satellite, memory: 128m, pool: 8}
                - {name: %s, role: satellite, pool: 8, source: external, url: "%s", user: %s, password: "%s"}
                """.formatted(
                                NEAR, FAR, far.url(), far.user(), far.password().reveal()),
                "test");
    }

    private NodeAccess access(NodeSpec node) {
        if (node.program().external().isPresent()) {
            ExternalConnection far = node.program().external().get();
            return new NodeAccess(
                    node.name(), far.url(), far.user(), far.password().reveal());
        }
        RunningEngine engine = engines.get(node.name());
        return new NodeAccess(node.name(), engine.jdbcUrl(), engine.user(), engine.password());
    }

    /** Returns the URL for clients. */
    String url() {
        return middleware.jdbcUrl();
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url());
    }

    void run(String... statements) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns the status of the satellite on the other machine. */
    NodeStatus far() {
        return middleware.status().nodes().stream()
                .filter(node -> node.name().equals(FAR))
                .findFirst()
                .orElseThrow();
    }

    /** Waits until the satellite on the other machine is in none of the states that answer reads. */
    NodeStatus awaitOut() {
        await("the satellite that does not answer is taken out of service")
                .atMost(PATIENCE)
                .until(() -> !far().state().equals("ONLINE"));
        return far();
    }

    /** Waits until all nodes are online and have applied all commits. */
    void awaitWhole() {
        await("all nodes are online and not behind: see their trouble")
                .atMost(PATIENCE)
                .untilAsserted(() -> assertThat(middleware.status().nodes())
                        .allMatch(node -> node.state().equals("ONLINE") && node.lagScns() == 0));
    }

    /** Compares both satellites with the master, row by row, by the command for operators. */
    void assertSame() throws SQLException {
        awaitWhole();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("VERIFY MULTIMED")) {
            List<String> different = new ArrayList<>();
            while (rows.next()) {
                if (!rows.getString("outcome").equals("equal")) {
                    different.add(rows.getString("satellite") + " " + rows.getString("table_name") + " "
                            + rows.getString("outcome"));
                }
            }
            assertThat(different).isEmpty();
        }
    }

    /** Returns the SCN up to which the master has discarded WriteSets. */
    long base() throws SQLException {
        try (Connection master = TestModels.direct(engines.get("master"));
                Statement statement = master.createStatement();
                ResultSet row = statement.executeQuery("SELECT scn FROM multimed.base")) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public void close() {
        middleware.close();
        engines.values().forEach(RunningEngine::close);
        state.discard();
    }
}
