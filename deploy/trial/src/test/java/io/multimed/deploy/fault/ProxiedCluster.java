// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * A master, a satellite and a middleware, with two proxies that can cut connections: one before the middleware, one
 * before the master.
 */
final class ProxiedCluster implements AutoCloseable {
    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final Map<String, RunningEngine> engines = new HashMap<>();
    private final CuttingProxy beforeMaster;
    private final Middleware middleware;
    private final CuttingProxy beforeMiddleware;

    ProxiedCluster(String engine) throws Exception {
        this(engine, model(engine));
    }

    /**
     * @param seen the model of the middleware, with the same nodes
     */
    ProxiedCluster(String engine, SystemModel seen) throws Exception {
        SystemModel model = model(engine);
        for (NodeSpec node : model.nodes()) {
            engines.put(node.name(), Launchers.start(node, "shop", state));
        }
        int port = URI.create(engine("master").jdbcUrl().substring("jdbc:".length()))
                .getPort();
        beforeMaster = CuttingProxy.before(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        middleware = Middleware.start(seen, this::access);
        beforeMiddleware = CuttingProxy.before(middleware.address());
        await("all nodes are online: see their trouble in the status")
                .atMost(Duration.ofSeconds(90))
                .until(() -> middleware.status().nodes().stream()
                        .allMatch(node -> node.state().equals("ONLINE")));
    }

    private static SystemModel model(String engine) throws ModelException {
        return SystemModel.parse("engine: " + engine + """

                listen: {port: 0}
                database: shop
                share-cores: true
                nodes:
                - {name: master, role: master, memory: 128m, pool: 8}
                - {name: satellite-1, role: satellite, memory: 128m, pool: 8}
                """, "test");
    }

    private NodeAccess access(NodeSpec node) {
        RunningEngine engine = engine(node.name());
        String url = node.name().equals("master")
                ? engine.jdbcUrl().replaceFirst(":[0-9]+/", ":%d/".formatted(beforeMaster.port()))
                : engine.jdbcUrl();
        return new NodeAccess(node.name(), url, engine.user(), engine.password());
    }

    RunningEngine engine(String node) {
        return engines.get(node);
    }

    CuttingProxy beforeMaster() {
        return beforeMaster;
    }

    CuttingProxy beforeMiddleware() {
        return beforeMiddleware;
    }

    Middleware middleware() {
        return middleware;
    }

    /** Past the proxy. */
    Connection connect() throws SQLException {
        return DriverManager.getConnection(middleware.jdbcUrl());
    }

    Connection connectThroughProxy(String properties) throws SQLException {
        return DriverManager.getConnection(
                "jdbc:multimed://127.0.0.1:%d/shop?%s".formatted(beforeMiddleware.port(), properties));
    }

    @Override
    public void close() throws Exception {
        beforeMiddleware.close();
        middleware.close();
        beforeMaster.close();
        engines.values().forEach(RunningEngine::close);
        state.discard();
    }
}
