// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.model.ExternalConnection;
import io.multimed.model.NodeSpec;
import io.multimed.model.value.CoreSet;
import java.nio.file.Path;
import java.util.Optional;

/** An engine that another party starts and stops. Multimed only connects to the engine. */
record ExternalEngine(NodeSpec node) implements RunningEngine {
    private ExternalConnection external() {
        return node.program().external().orElseThrow();
    }

    @Override
    public String title() {
        return node.engine();
    }

    @Override
    public String jdbcUrl() {
        return external().url();
    }

    @Override
    public Optional<Path> socket() {
        return Optional.empty();
    }

    @Override
    public String user() {
        return external().user();
    }

    @Override
    public String password() {
        return external().password().reveal();
    }

    @Override
    public ServerUser account() {
        throw new EngineException(node.name() + " is an external engine; Multimed does not know its processes");
    }

    @Override
    public long pid() {
        return 0;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public boolean hasDied() {
        return false;
    }

    @Override
    public void kill() {
        throw new EngineException(node.name() + " is an external engine; Multimed does not stop it");
    }

    @Override
    public void loseData() {
        throw new EngineException(node.name() + " is an external engine; Multimed does not remove its data");
    }

    /** Returns false: only the operator of the engine can restart the engine. */
    @Override
    public boolean revive() {
        return false;
    }

    @Override
    public void pin(CoreSet cores) {
        // Multimed does not know the processes of the engine.
    }

    @Override
    public void restart() {
        throw new EngineException(node.name() + " is an external engine; Multimed does not restart it");
    }

    @Override
    public void stop() {
        // The operator of the engine decides when to stop the engine.
    }

    @Override
    public void close() {
        // The operator of the engine decides when to stop the engine.
    }
}
