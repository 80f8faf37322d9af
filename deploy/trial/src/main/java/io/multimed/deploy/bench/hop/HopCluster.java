// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.ProcessTimes;
import io.multimed.deploy.bench.WatchedMiddleware;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.Ports;
import io.multimed.deploy.launcher.pooler.InstalledPooler;
import io.multimed.deploy.launcher.pooler.PoolerSpec;
import io.multimed.deploy.launcher.pooler.RunningPooler;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A temporary cluster that {@code multimed up} runs in a process of its own, so that its CPU time can be told from that
 * of the clients. Multimed uses one database of the master; the other ways use a second database of the same server,
 * because Multimed captures, and refuses, changes of its database that bypass it.
 *
 * <p>All processes end with this process, in every case: {@link #close}, a shutdown hook, or the watchdogs end them.
 */
final class HopCluster implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HopCluster.class);

    /** Name of the group of the middleware's processes. */
    static final String MIDDLEWARE = "middleware";

    static final String MASTER = "master";
    static final String SATELLITES = "satellites";
    static final String POOLER = "pooler";
    static final String CLIENT = "client";

    /** Names of the ways with TLS, and as a user with a role. */
    static final String TLS = "tls";

    static final String ROLE = "role";

    /** Database for the ways without Multimed. */
    private static final String PLAIN = "plain";

    private static final long SETTLE_SECONDS = 20;

    /** Connections of the engine that Multimed and the administration of the engine use. */
    private static final int SPARE_CONNECTIONS = 40;

    private final HopSetup setup;
    private final StateFolder state;
    private final Thread atExit = new Thread(this::end, "stop-hop");
    private @Nullable WatchedMiddleware middleware;

    /** Null if the middleware has no users. */
    private @Nullable HopAccess access;

    private final RunningEngine engine;
    private final Map<Long, String> roots = new LinkedHashMap<>();
    private final long processesAtRest;

    /** Starts the cluster, and waits until all satellites are online. A failed start ends all processes. */
    HopCluster(HopSetup setup, int clients) throws IOException, ModelException {
        this.setup = setup;
        this.state = StateFolder.temporary(setup.parent(), "multimed-hop-");
        Runtime.getRuntime().addShutdownHook(atExit);
        boolean started = false;
        try {
            String listen = "";
            if (setup.secured()) {
                this.access = HopAccess.create(state.path());
                listen = access.model();
            }
            Path model = Files.writeString(state.path().resolve("model.yaml"), model(setup, clients, listen));
            WatchedMiddleware up = new WatchedMiddleware(List.of(), state.path(), model, setup.satellites() > 0);
            this.middleware = up;
            SystemModel read = SystemModel.read(model);
            StateFolder folder = StateFolder.lasting(up.state());
            this.engine = Launchers.running(read.nodes().get(0), PLAIN, folder);
            roots.put(ProcessHandle.current().pid(), CLIENT);
            roots.put(up.pid(), MIDDLEWARE);
            for (NodeSpec node : read.nodes()) {
                String group = node.name().equals(MASTER) ? MASTER : SATELLITES;
                roots.put(Launchers.running(node, read.database(), folder).pid(), group);
            }
            this.processesAtRest = engineProcesses();
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** @param access further keys of {@code listen} */
    static String model(HopSetup setup, int clients, String access) {
        StringBuilder yaml = new StringBuilder("""
                engine: %s
                listen: {host: 127.0.0.1, port: 0, max-clients: %d%s}
                database: hop
                share-cores: true
                nodes:
                - {name: master, role: master, port: %d, pool: %d, settings: {max_connections: "%d"}}
                """.formatted(
                        setup.engine(), clients + 10, access, Ports.free(), setup.pool(), setup.maxConnections()));
        for (int i = 1; i <= setup.satellites(); i++) {
            yaml.append("- {name: satellite-%d, role: satellite, port: %d, pool: %d}%n"
                    .formatted(i, Ports.free(), setup.pool()));
        }
        return yaml.toString();
    }

    /** Returns the databases of the two kinds of ways, in which the tables have to be created. */
    List<Target> databases() {
        return List.of(direct().start(1).target(), multimed().start(1).target());
    }

    /** Returns the way without a hop: the engine's own driver. */
    HopTarget direct() {
        return HopTarget.lasting(
                new Target("direct", engine.jdbcUrl(), engine.user(), engine.password()), groups(CLIENT, MASTER));
    }

    private String url() {
        return Objects.requireNonNull(middleware).url();
    }

    HopTarget multimed() {
        HopAccess secured = access;
        return multimed(
                secured == null
                        ? new Target("multimed", url(), "", "")
                        : secured.administrator("multimed", url(), false));
    }

    /** Returns the ways with what makes Multimed secure: TLS, and a user with a role of the engine. */
    List<HopTarget> secured() {
        HopAccess secured = access;
        return secured == null
                ? List.of()
                : List.of(multimed(secured.administrator(TLS, url(), true)), multimed(secured.user(ROLE, url())));
    }

    /** Grants what the user with a role needs, after the table was created. */
    void grant() throws SQLException {
        HopAccess secured = access;
        if (secured != null) {
            secured.grant(multimed().start(1).target());
        }
    }

    private HopTarget multimed(Target target) {
        return HopTarget.lasting(
                target,
                setup.satellites() > 0
                        ? groups(CLIENT, MIDDLEWARE, MASTER, SATELLITES)
                        : groups(CLIENT, MIDDLEWARE, MASTER));
    }

    /** Returns the way through a pooler, which is started for each number of clients. */
    HopTarget pooler(InstalledPooler installed) {
        return new HopTarget() {
            @Override
            public String name() {
                return installed.pooler().name();
            }

            @Override
            public Running start(int clients) {
                PoolerSpec spec = new PoolerSpec(
                        engine,
                        PLAIN,
                        Ports.free(),
                        clients,
                        setup.pool(),
                        setup.maxConnections() - 2 * setup.pool() - SPARE_CONNECTIONS);
                RunningPooler running = RunningPooler.start(installed, spec, state.path());
                Map<Long, String> all = groups(CLIENT, MASTER);
                all.put(running.pid(), POOLER);
                return new Running(
                        new Target(name(), running.jdbcUrl(), engine.user(), engine.password()), all, running::close);
            }
        };
    }

    private Map<Long, String> groups(String... wanted) {
        Map<Long, String> some = new LinkedHashMap<>(roots);
        some.values().retainAll(List.of(wanted));
        return some;
    }

    /** Waits until the master has ended the processes of the last clients, so that they do not burden the next ones. */
    void settle() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS);
        while (engineProcesses() > processesAtRest + 2L * setup.pool() && System.nanoTime() < deadline) {
            WatchedMiddleware.pause();
        }
    }

    private long engineProcesses() {
        return ProcessTimes.now().count(roots, MASTER);
    }

    private synchronized void end() {
        WatchedMiddleware running = middleware;
        middleware = null;
        if (running != null) {
            running.close();
        }
        state.discard();
    }

    @Override
    public void close() {
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (IllegalStateException e) {
            LOG.debug("already shutting down", e);
        }
    }
}
