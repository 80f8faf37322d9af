// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import static org.awaitility.Awaitility.await;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.Ports;
import io.multimed.model.NodeSpec;
import io.multimed.tpcw.run.Target;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A cluster for fault tests: engines, a middleware in a separate process with a small heap and small queues, and a
 * proxy before the middleware.
 */
final class FaultTestCluster implements AutoCloseable {
    /** Enough for a recovery: the restart of an engine, seeding, and the missed WriteSets. */
    static final Duration PATIENCE = Duration.ofMinutes(2);

    private final StateFolder state = StateFolder.temporary("multimed-test-");
    private final Map<String, RunningEngine> engines = new LinkedHashMap<>();
    private final MiddlewareProcess middleware;
    private final CuttingProxy proxy;
    private final int port;

    FaultTestCluster(String engine) throws Exception {
        this(engine, "");
    }

    /**
     * @param more further lines of the System Model
     */
    FaultTestCluster(String engine, String more) throws Exception {
        for (NodeSpec node : TestModels.twoSatellites(engine).nodes()) {
            engines.put(node.name(), Launchers.start(node, "shop", state));
        }
        port = Ports.free();
        middleware = new MiddlewareProcess(
                model("engine: %s%n%s".formatted(engine, more)),
                state.path().resolve("middleware.log"),
                List.of(
                        "-Xmx128m",
                        "-XX:+ExitOnOutOfMemoryError",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dmultimed.test.sharing=" + sharing(engine)));
        middleware.start();
        middleware.awaitSatellites();
        proxy = CuttingProxy.before(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /** Forces statements to share transactions where the failure of one of them undoes the transaction. */
    private static String sharing(String engine) {
        return System.getProperty("multimed.test.sharing", engine.equals("postgresql") ? "always" : "adaptive");
    }

    /**
     * Returns the model of the middleware. The engines are external to the middleware, so that they survive its end.
     */
    private Path model(String more) throws Exception {
        StringBuilder yaml = new StringBuilder(more);
        yaml.append(
                "listen: {port: %d}%ndatabase: shop%nqueue: {bound: 256k, drop-after: 1m}%nnodes:%n".formatted(port));
        for (RunningEngine engine : engines.values()) {
            yaml.append("- {name: %s, role: %s, source: external, url: \"%s\", user: %s, password: \"%s\"}%n"
                    .formatted(
                            engine.node().name(),
                            engine.node().role().name().toLowerCase(Locale.ROOT),
                            engine.jdbcUrl(),
                            engine.user(),
                            engine.password()));
        }
        return Files.writeString(state.path().resolve("model.yaml"), yaml);
    }

    FaultInjector injector() {
        Map<String, RunningEngine> satellites = new LinkedHashMap<>(engines);
        RunningEngine master = satellites.remove("master");
        return new FaultInjector(new FaultTargets(master, satellites, middleware, proxy));
    }

    /** Returns the target of the load, which connects through the proxy. */
    Target target() {
        return target(proxy.port());
    }

    /** Returns a target that does not use the proxy. */
    Target straight() {
        return target(port);
    }

    private static Target target(int port) {
        return new Target("Multimed", "jdbc:multimed://127.0.0.1:%d/shop?outcomeTimeout=60".formatted(port), "", "");
    }

    /** Opens a connection to an engine, without the middleware. */
    Connection direct(String node) throws SQLException {
        return TestModels.direct(engines.get(node));
    }

    /**
     * Stops the master and starts it again on its data.
     *
     * @param gently with an orderly shutdown, which the engine reports to its clients
     */
    void restartMaster(boolean gently) {
        RunningEngine master = engines.get("master");
        if (gently) {
            master.restart();
        } else {
            master.kill();
            master.revive();
        }
    }

    CuttingProxy proxy() {
        return proxy;
    }

    MiddlewareProcess middleware() {
        return middleware;
    }

    String state(String node) {
        try (Connection connection = straight().connect();
                Statement statement = connection.createStatement();
                ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                if (nodes.getString("node").equals(node)) {
                    return nodes.getString("state") + (nodes.getLong("lag_scns") > 0 ? ", behind" : "");
                }
            }
            return "unknown";
        } catch (SQLException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** Waits until all satellites are online. */
    void awaitWhole() {
        await("both satellites are online: see SHOW MULTIMED STATUS")
                .atMost(PATIENCE)
                .until(() -> state("satellite-1").startsWith("ONLINE")
                        && state("satellite-2").startsWith("ONLINE"));
    }

    /** Waits until all satellites are online and have applied all WriteSets. */
    void awaitApplied() {
        await("both satellites are online and not behind: see SHOW MULTIMED STATUS")
                .atMost(PATIENCE)
                .until(() -> state("satellite-1").equals("ONLINE")
                        && state("satellite-2").equals("ONLINE"));
    }

    @Override
    public void close() throws Exception {
        proxy.close();
        middleware.close();
        engines.values().forEach(RunningEngine::close);
        state.discard();
    }
}
