// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.conformance;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.LocalEngines;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.engine.Engine;
import io.multimed.engine.Engines;
import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;
import org.junit.jupiter.api.Assumptions;

/** Two servers on this machine, started by the launcher. */
public final class LaunchedServers implements EngineUnderTest {
    private final Engine engine;
    private final StateFolder state;
    private final RunningEngine master;
    private final RunningEngine satellite;

    private LaunchedServers(String id) {
        this.engine = Engines.of(id);
        this.state = StateFolder.temporary("multimed-conformance-" + id + "-");
        this.master = start(id, "master", Role.MASTER);
        this.satellite = start(id, "satellite", Role.SATELLITE);
    }

    private RunningEngine start(String id, String name, Role role) {
        return Launchers.start(NodeSpec.embedded(name, role, id, CoreSet.ALL, Storage.MEMORY), "shop", state);
    }

    /** Starts two servers of an engine; skips the test, with a message, if the engine is not on this machine. */
    public static EngineUnderTest start(String id) {
        String why = LocalEngines.missing(id).orElse("");
        if (!why.isEmpty()) {
            System.err.printf("SKIPPED for %s: conformance: %s%n", id, why);
        }
        Assumptions.assumeTrue(why.isEmpty(), why);
        return new LaunchedServers(id);
    }

    @Override
    public Engine engine() {
        return engine;
    }

    @Override
    public NodeAccess master() {
        return access("master", master);
    }

    @Override
    public NodeAccess satellite() {
        return access("satellite", satellite);
    }

    private static NodeAccess access(String name, RunningEngine running) {
        return new NodeAccess(name, running.jdbcUrl(), running.user(), running.password(), running.socket());
    }

    @Override
    public void close() {
        master.close();
        satellite.close();
        state.discard();
    }
}
