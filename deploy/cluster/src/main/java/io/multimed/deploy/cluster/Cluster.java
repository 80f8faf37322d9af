// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.embedded.ModelLauncher;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.server.Middleware;
import io.multimed.server.communication.ReservedAddress;
import io.multimed.server.dispatcher.administration.StatusReport.NodeStatus;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running System Model: first the engines on their cores, each supervised, then the middleware. Stops in reverse
 * order. A start that fails stops everything that has been started.
 *
 * <p>The address of the middleware is reserved before the first engine starts, so that an address in use is reported
 * within milliseconds.
 */
public final class Cluster implements ModelLauncher.Launched {
    private static final Logger LOG = LoggerFactory.getLogger(Cluster.class);

    /** Time between two queries of the nodes' states. */
    private static final long POLL_MILLIS = 20;

    /** Maximum time for an orderly stop of the middleware. */
    private static final long MIDDLEWARE_MILLIS = 20_000;

    private final SupervisedEngines engines;

    /** Null until the middleware has started. */
    private @Nullable Middleware middleware;

    private Cluster(SupervisedEngines engines) {
        this.engines = engines;
    }

    /** Starts everything. The address is reserved until the middleware listens on it. */
    private void startWithPort(SystemModel model, StateFolder state, Consumer<String> progress)
            throws SQLException, IOException {
        try (ReservedAddress address = ReservedAddress.of(model.listen())) {
            LOG.debug("{} is free", address);
            SystemModel joined = startEngines(model, state, progress);
            progress.accept("starting the middleware");
            middleware = Middleware.start(joined, engines::access, engines);
        }
    }

    private void startWithoutPort(SystemModel model, StateFolder state) throws SQLException, IOException {
        SystemModel joined = startEngines(model, state, step -> LOG.debug("{}", step));
        middleware = Middleware.startEmbedded(joined, engines::access, engines);
    }

    /** Returns the model with the satellites that were added at run time. */
    private SystemModel startEngines(SystemModel model, StateFolder state, Consumer<String> progress)
            throws IOException {
        SystemModel joined = new AddedSatellites(state.path()).join(model, progress);
        removeForgotten(joined, state);
        for (NodeSpec node : inOrderOfStart(joined)) {
            progress.accept("starting " + node.name());
            engines.launch(node);
        }
        return joined;
    }

    /** Returns the nodes in the order of the model; standbys are made from a master that runs. */
    private static List<NodeSpec> inOrderOfStart(SystemModel model) {
        return model.hasStandbys()
                ? Stream.concat(Stream.of(model.master()), model.satellites().stream())
                        .toList()
                : model.nodes();
    }

    /** Removes data in main memory that belongs to removed satellites. */
    private static void removeForgotten(SystemModel model, StateFolder state) {
        List<String> names = model.nodes().stream().map(NodeSpec::name).toList();
        state.nodesInMemory().stream().filter(left -> !names.contains(left)).forEach(left -> {
            LOG.info("{} is no longer a satellite: removing its data from main memory", left);
            state.removeMemory(left);
        });
    }

    /**
     * Starts a model, including the satellites that were added at run time with the same state folder.
     *
     * @param state where engines keep their data
     * @param progress receives a message for each step
     */
    public static Cluster start(SystemModel model, StateFolder state, Consumer<String> progress)
            throws SQLException, IOException {
        return started(model, state, cluster -> cluster.startWithPort(model, state, progress));
    }

    /** The start of a cluster. */
    @FunctionalInterface
    private interface Start {
        void run(Cluster cluster) throws SQLException, IOException;
    }

    /** If the start fails, also by an Error, the engines that have started are stopped. */
    private static Cluster started(SystemModel model, StateFolder state, Start start) throws SQLException, IOException {
        Cluster cluster = new Cluster(new SupervisedEngines(model, state));
        boolean started = false;
        try {
            start.run(cluster);
            started = true;
            return cluster;
        } finally {
            if (!started) {
                cluster.close();
            }
        }
    }

    /** Starts a model as {@link #start}, with a middleware that has no port. */
    static Cluster startEmbedded(SystemModel model, StateFolder state) throws SQLException, IOException {
        return started(model, state, cluster -> cluster.startWithoutPort(model, state));
    }

    public RunningEngine engine(String node) {
        return engines.engine(node);
    }

    /** Returns the middleware of this process. Only a started cluster is visible, so the middleware has started. */
    @Override
    public Middleware middleware() {
        return Objects.requireNonNull(middleware);
    }

    /** Waits until every satellite serves and has applied all published WriteSets. */
    public void awaitSatellites() throws InterruptedException {
        while (!missing().isEmpty()) {
            Thread.sleep(POLL_MILLIS);
        }
    }

    /** Returns the nodes that do not serve yet, or have not applied all published WriteSets. */
    public List<NodeStatus> missing() {
        return middleware().status().nodes().stream()
                .filter(node -> !node.state().equals("ONLINE") || node.lagScns() > 0)
                .toList();
    }

    /** Stops the middleware, then the engines; stops the engines even if the middleware does not stop in time. */
    @Override
    public void close() {
        Middleware running = middleware;
        if (running != null) {
            inTime(running::close, MIDDLEWARE_MILLIS);
        }
        engines.close();
    }

    /** Lets open transactions end within {@code listen.shutdown-wait}, and then stops all processes. */
    public void shutDown() {
        Middleware running = middleware;
        if (running != null) {
            long wait = running.model().listen().shutdownWait().toMillis();
            inTime(() -> shutDown(running), MIDDLEWARE_MILLIS + wait);
        }
        close();
    }

    private static void shutDown(Middleware running) {
        try {
            running.shutDown();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void inTime(Runnable stop, long millis) {
        Thread closing = new Thread(stop, "closing");
        closing.setDaemon(true);
        closing.start();
        await(closing, millis);
    }

    /** Waits a limited time, so that a hanging middleware does not prevent the stop of the engines. */
    private static void await(Thread closing, long millis) {
        try {
            closing.join(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (closing.isAlive()) {
            LOG.warn("the middleware did not stop within {} s", millis / 1_000);
        }
    }
}
