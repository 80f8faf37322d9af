// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import io.multimed.deploy.launcher.Launchers;
import io.multimed.deploy.launcher.RunningEngine;
import io.multimed.deploy.launcher.StateFolder;
import io.multimed.deploy.launcher.machine.MachineCores;
import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.ByteSize;
import io.multimed.model.value.CoreSet;
import io.multimed.tpcw.run.Target;
import java.nio.file.Path;
import java.util.Map;

/** An engine alone, on disk, with the memory of several nodes together. */
public final class PlainDatabase implements MeasuredDatabase {
    /** Name of the group of the engine's processes. */
    public static final String ENGINE = "engine";

    private final RunningEngine engine;
    private final String title;

    /**
     * Starts the engine.
     *
     * @param cores number of cores, from the first one
     * @param clients connections that the engine accepts
     * @param nodes number of nodes whose memory the engine has
     * @param folder for the data, which is kept
     */
    public PlainDatabase(String name, int cores, int clients, int nodes, Path folder) {
        CoreSet all = MachineCores.at(CoreSet.parse("0-" + (cores - 1)));
        NodeSpec node = NodeSpec.embedded("plain", Role.MASTER, name, all, Storage.DISK)
                .withPool(clients)
                .withMemory(ByteSize.megabytes((long) nodes * ClusterSpec.MEGABYTES));
        this.engine = Launchers.start(node, "tpcw", StateFolder.lasting(folder));
        this.title = engine.title();
    }

    @Override
    public Target target() {
        return new Target(title, engine.jdbcUrl(), engine.user(), engine.password());
    }

    @Override
    public Map<Long, String> processes() {
        return Map.of(engine.pid(), ENGINE);
    }

    @Override
    public void settle() {
        // One copy only.
    }

    @Override
    public void close() {
        engine.close();
    }
}
