// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.cluster;

import io.multimed.deploy.launcher.EngineSupervisor;
import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import io.multimed.model.Storage;
import io.multimed.model.SystemModel;
import io.multimed.server.SatelliteProvisioner;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The engines of a running cluster, each with a supervisor that restarts the engine after its death. Satellites may be
 * added and removed during operation. Thread-safe.
 */
final class SupervisedEngines implements SatelliteProvisioner, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SupervisedEngines.class);

    /** The running engines by the names of their nodes. Added to under this object's monitor. */
    private final Map<String, Supervised> engines = new ConcurrentHashMap<>();

    /** Whether no further engine may run. Guarded by this object's monitor, which is held for a few instructions. */
    private boolean closed;

    private final String database;
    private final StateFolder state;
    private final AddedSatellites added;

    /** The name of the master if satellites are its standbys; otherwise null. */
    private final @Nullable String primary;

    /**
     * An engine with its supervisor. The supervisor ends first: otherwise the supervisor would take the stop for a
     * death.
     */
    private record Supervised(RunningEngine engine, EngineSupervisor supervisor) {
        void close() {
            supervisor.close();
            engine.close();
        }
    }

    SupervisedEngines(SystemModel model, StateFolder state) {
        this.database = model.database();
        this.primary = model.hasStandbys() ? model.master().name() : null;
        this.state = state;
        this.added = new AddedSatellites(state.path());
    }

    /**
     * Starts a node's engine and its supervisor; an external engine runs already, and is only recorded.
     *
     * @throws EngineException if the engine does not start, or if {@link #close} was called meanwhile; the engine is
     *     stopped then
     */
    NodeAccess launch(NodeSpec node) {
        RunningEngine engine = launchEngine(node);
        Supervised supervised = new Supervised(
                engine, isStandby(node) ? EngineSupervisor.ofStandby(engine) : EngineSupervisor.of(engine));
        if (!keep(node, supervised)) {
            supervised.close();
            throw new EngineException(node.name() + " is not started, because all engines are stopped");
        }
        return access(engine);
    }

    /** Returns whether {@link #close} will stop the engine. */
    private synchronized boolean keep(NodeSpec node, Supervised supervised) {
        if (!closed) {
            engines.put(node.name(), supervised);
        }
        return !closed;
    }

    private boolean isStandby(NodeSpec node) {
        return primary != null
                && node.program().source() != Source.EXTERNAL
                && !node.name().equals(primary);
    }

    /** Starts an engine. Removes the engine's data in main memory if the start fails. */
    private RunningEngine launchEngine(NodeSpec node) {
        try {
            if (isStandby(node)) {
                return Launchers.startStandby(node, engine(Objects.requireNonNull(primary)), database, state);
            }
            return node.name().equals(primary) && node.program().source() != Source.EXTERNAL
                    ? Launchers.startPrimary(node, database, state)
                    : Launchers.start(node, database, state);
        } catch (EngineException e) {
            if (node.data().storage() == Storage.MEMORY) {
                state.removeMemory(node.name());
            }
            throw e;
        }
    }

    /** Returns the address and the login of a running engine, as the middleware needs them. */
    NodeAccess access(NodeSpec node) {
        return access(engine(node.name()));
    }

    private static NodeAccess access(RunningEngine engine) {
        return new NodeAccess(
                engine.node().name(), engine.jdbcUrl(), engine.user(), engine.password(), engine.socket());
    }

    /** Returns the engine of a node that was launched. */
    RunningEngine engine(String node) {
        return Objects.requireNonNull(engines.get(node)).engine;
    }

    /**
     * Starts the engine of a satellite that is added during operation.
     *
     * @throws SQLException 58000 with the reason for the client of ALTER MULTIMED SATELLITE
     */
    @Override
    public NodeAccess start(NodeSpec node) throws SQLException {
        try {
            return launch(node);
        } catch (EngineException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "58000", e);
        }
    }

    /** Stops a removed satellite's engine, and removes its data in main memory. */
    @Override
    public void stop(NodeSpec node) throws SQLException {
        @Nullable Supervised supervised = engines.remove(node.name());
        try {
            if (supervised != null) {
                supervised.close();
            }
        } catch (EngineException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "58000", e);
        }
    }

    /** Restarts the engine on its data. The supervisor starts an engine whose start has failed again. */
    @Override
    public void restart(NodeSpec node) throws SQLException {
        if (node.program().source() == Source.EXTERNAL) {
            throw SatelliteProvisioner.foreign(node);
        }
        changed(() -> engine(node.name()).restart());
    }

    @Override
    public void remake(NodeSpec node) throws SQLException {
        if (node.program().source() == Source.EXTERNAL) {
            throw SatelliteProvisioner.foreign(node);
        }
        changed(() -> {
            RunningEngine engine = engine(node.name());
            engine.loseData();
            engine.revive(); // or its supervisor has done so already
        });
    }

    @Override
    public void pin(NodeSpec node) throws SQLException {
        changed(() -> engine(node.name()).pin(node.cores()));
    }

    @Override
    public void check(NodeSpec node) throws SQLException {
        changed(() -> Launchers.check(node));
    }

    private static void changed(Runnable change) throws SQLException {
        try {
            change.run();
        } catch (EngineException e) {
            throw new SQLException(String.valueOf(e.getMessage()), "58000", e);
        }
    }

    /** @throws SQLException 58030 if the file cannot be written */
    @Override
    public void remember(String name, String definition) throws SQLException {
        try {
            added.remember(name, definition);
        } catch (IOException e) {
            throw new SQLException("the definition of %s cannot be stored: %s".formatted(name, e), "58030", e);
        }
    }

    /** @throws SQLException 58030 if the file cannot be deleted; the satellite is removed nevertheless */
    @Override
    public void forget(String name) throws SQLException {
        try {
            added.forget(name);
        } catch (IOException e) {
            throw new SQLException(
                    "%s is removed, but its definition cannot be deleted, so that the next start would start it again: %s"
                            .formatted(name, e),
                    "58030",
                    e);
        }
    }

    /** Stops all engines. An engine that cannot be stopped does not prevent the others from being stopped. */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        for (Supervised supervised : engines.values()) {
            try {
                supervised.close();
            } catch (RuntimeException e) {
                LOG.warn("not stopped cleanly: {}", e.getMessage());
            }
        }
        engines.clear();
    }
}
