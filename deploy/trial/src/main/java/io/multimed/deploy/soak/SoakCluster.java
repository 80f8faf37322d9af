// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.soak;

import io.multimed.deploy.fault.CuttingProxy;
import io.multimed.deploy.fault.FaultTargets;
import io.multimed.deploy.fault.MiddlewareProcess;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.Ports;
import io.multimed.model.NodeSpec;
import io.multimed.model.Propagation;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary cluster whose parts can be killed one by one: each engine and the middleware is a separate process, and
 * clients connect through a proxy.
 */
final class SoakCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SoakCluster.class);
    private static final String DATABASE = "soak";
    private static final int SATELLITES = 2;
    private static final ByteSize MEMORY = ByteSize.megabytes(128);

    private final String engine;
    private final Propagation propagation;
    private final StateFolder state = StateFolder.temporary("multimed-soak-");
    private final Deque<AutoCloseable> started = new ArrayDeque<>();
    private final Map<String, RunningEngine> satellites = new LinkedHashMap<>();
    private final FaultTargets victims;
    private final Target target;
    private final int managementPort = Ports.free();

    SoakCluster(String engine, Propagation propagation) throws IOException {
        this.engine = engine;
        this.propagation = propagation;
        try {
            RunningEngine master = startMaster();
            for (int i = 1; i <= SATELLITES; i++) {
                String name = "satellite-" + i;
                satellites.put(name, startSatellite(name, master));
            }
            int port = Ports.free();
            MiddlewareProcess middleware = new MiddlewareProcess(
                    model(port, master), state.path().resolve("middleware.log"), javaOptions(managementPort));
            started.push(middleware);
            middleware.start();
            CuttingProxy proxy = CuttingProxy.before(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            started.push(proxy);
            victims = new FaultTargets(master, satellites, middleware, proxy);
            target =
                    new Target("Multimed", "jdbc:multimed://127.0.0.1:%d/%s".formatted(proxy.port(), DATABASE), "", "");
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private RunningEngine startMaster() {
        NodeSpec node = node("master", Role.MASTER, Storage.DISK);
        return started(
                propagation == Propagation.LOG
                        ? Launchers.startPrimary(node, DATABASE, state)
                        : Launchers.start(node, DATABASE, state));
    }

    private RunningEngine startSatellite(String name, RunningEngine master) {
        NodeSpec node = node(name, Role.SATELLITE, Storage.MEMORY);
        return started(
                propagation == Propagation.LOG
                        ? Launchers.startStandby(node, master, DATABASE, state)
                        : Launchers.start(node, DATABASE, state));
    }

    /** Returns an engine with little memory and without cores of its own: a soak tests correctness, not speed. */
    private NodeSpec node(String name, Role role, Storage storage) {
        return NodeSpec.embedded(name, role, engine, CoreSet.ALL, storage).withMemory(MEMORY);
    }

    private RunningEngine started(RunningEngine server) {
        started.push(server);
        return server;
    }

    /** Writes the middleware's model, which names the engines as external ones, so that they outlive the middleware. */
    private Path model(int port, RunningEngine master) throws IOException {
        StringBuilder yaml = new StringBuilder("listen: {port: %d}%ndatabase: %s%nengine: %s%npropagation: %s%nnodes:%n"
                .formatted(port, DATABASE, engine, propagation.name().toLowerCase(Locale.ROOT)));
        List<RunningEngine> engines = new ArrayList<>(List.of(master));
        engines.addAll(satellites.values());
        for (RunningEngine server : engines) {
            yaml.append("- {name: %s, role: %s, source: external, url: \"%s\", user: %s, password: \"%s\"}%n"
                    .formatted(
                            server.node().name(),
                            server.node().role().name().toLowerCase(Locale.ROOT),
                            server.jdbcUrl(),
                            server.user(),
                            server.password()));
        }
        return Files.writeString(state.path().resolve("model.yaml"), yaml);
    }

    /**
     * Returns the options of the middleware's JVM: a small heap, which exposes leaks soon, and the port for {@link
     * JvmMonitor}.
     */
    private static List<String> javaOptions(int port) {
        return List.of(
                "-Xmx512m",
                "-Djava.rmi.server.hostname=127.0.0.1",
                "-Dcom.sun.management.jmxremote.host=127.0.0.1",
                "-Dcom.sun.management.jmxremote.port=" + port,
                "-Dcom.sun.management.jmxremote.rmi.port=" + port,
                "-Dcom.sun.management.jmxremote.authenticate=false",
                "-Dcom.sun.management.jmxremote.ssl=false");
    }

    /** Returns the database for clients, through the proxy. */
    Target target() {
        return target;
    }

    FaultTargets victims() {
        return victims;
    }

    List<String> satelliteNames() {
        return List.copyOf(satellites.keySet());
    }

    /** Returns the port on loopback for remote management of the middleware's JVM. */
    int managementPort() {
        return managementPort;
    }

    /** Stops all parts in reverse order, and removes their data. A part that is already dead is no error. */
    @Override
    public void close() {
        while (!started.isEmpty()) {
            try {
                started.pop().close();
            } catch (Exception e) {
                LOG.warn("not stopped cleanly: {}", e.getMessage());
            }
        }
        state.discard();
    }
}
