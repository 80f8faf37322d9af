// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import io.multimed.deploy.bench.WatchedMiddleware;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.model.ModelException;
import io.multimed.model.NodeSpec;
import io.multimed.model.SystemModel;
import io.multimed.tpcw.run.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Multimed: the middleware in a process of its own, with a master and satellites. */
public final class MultimedDatabase implements MeasuredDatabase {
    /** Names of the groups of processes. */
    public static final String MIDDLEWARE = "middleware";

    public static final String MASTER = "master";
    public static final String SATELLITES = "satellites";

    private static final long SETTLE_SECONDS = 300;

    private final ClusterSpec spec;
    private final WatchedMiddleware middleware;
    private final Map<Long, String> processes = new LinkedHashMap<>();
    private final List<Target> satellites = new ArrayList<>();
    private @Nullable Target master;

    /**
     * Starts the system, and waits until all satellites are online.
     *
     * @param folder for the data, which is kept: a later start with other satellites has the same data
     */
    public MultimedDatabase(ClusterSpec spec, Path folder) throws IOException {
        this.spec = spec;
        Path own = Files.createDirectories(folder.toAbsolutePath());
        Path model = Files.writeString(own.resolve("model.yaml"), spec.yaml());
        this.middleware = new WatchedMiddleware(spec.prefix(), own, model, spec.satellites() > 0);
        boolean started = false;
        try {
            processes.put(middleware.pid(), MIDDLEWARE);
            SystemModel read = SystemModel.read(model);
            StateFolder state = StateFolder.lasting(middleware.state());
            for (NodeSpec node : read.nodes()) {
                String group = node.name().equals("master") ? MASTER : SATELLITES;
                RunningEngine engine = Launchers.running(node, read.database(), state);
                processes.put(engine.pid(), group);
                Target target = new Target(node.name(), engine.jdbcUrl(), engine.user(), engine.password());
                if (group.equals(MASTER)) {
                    master = target;
                } else {
                    satellites.add(target);
                }
            }
            started = true;
        } catch (ModelException e) {
            throw new IOException("the System Model of the evaluation is wrong: " + e.getMessage(), e);
        } finally {
            if (!started) {
                middleware.close();
            }
        }
    }

    public ClusterSpec spec() {
        return spec;
    }

    /** Returns the master itself, for statistics of the engine. Changes would bypass Multimed. */
    public Target master() {
        return Objects.requireNonNull(master);
    }

    /** Returns the satellites themselves, for settings of copies. Changes of rows would differ from the master's. */
    public List<Target> satellites() {
        return List.copyOf(satellites);
    }

    @Override
    public Target target() {
        return new Target(spec.title(), middleware.url(), "", "");
    }

    @Override
    public Map<Long, String> processes() {
        return processes;
    }

    @Override
    public void settle() throws SQLException, InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SETTLE_SECONDS);
        try (Connection connection = target().connect();
                Statement statement = connection.createStatement()) {
            while (isBehind(statement)) {
                if (System.nanoTime() > deadline) {
                    throw new SQLException("the satellites do not become current; see SHOW MULTIMED STATUS", "57014");
                }
                WatchedMiddleware.pause();
            }
        }
    }

    private static boolean isBehind(Statement statement) throws SQLException {
        try (ResultSet nodes = statement.executeQuery("SHOW MULTIMED STATUS")) {
            while (nodes.next()) {
                if (!nodes.getString("state").equals("ONLINE") || nodes.getLong("lag_scns") > 0) {
                    return true;
                }
            }
            return false;
        }
    }

    @Override
    public void close() {
        middleware.close();
    }
}
