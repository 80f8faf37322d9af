// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.model.NodeSpec;
import io.multimed.model.Role;
import io.multimed.model.Storage;
import io.multimed.model.value.CoreSet;

/** A master in memory with an empty database {@code shop}, for a test; the data ends with the server. */
public final class LaunchedEngine implements AutoCloseable {
    private final StateFolder state = StateFolder.temporary("multimed-engine-");
    private final RunningEngine running;

    /** Starts a server of an engine. */
    public LaunchedEngine(String engine) {
        running = Launchers.start(
                NodeSpec.embedded(engine, Role.MASTER, engine, CoreSet.ALL, Storage.MEMORY), "shop", state);
    }

    public RunningEngine running() {
        return running;
    }

    @Override
    public void close() {
        running.close();
        state.discard();
    }
}
