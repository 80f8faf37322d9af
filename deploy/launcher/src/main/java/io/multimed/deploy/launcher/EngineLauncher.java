// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.launcher;

import io.multimed.deploy.launcher.machine.EngineException;
import io.multimed.deploy.launcher.pooler.Pooler;
import io.multimed.model.NodeSpec;
import java.util.List;

/**
 * Starts engines of one kind. To support another engine, implement this interface and {@link ServerProgram}, and name
 * the launcher in {@code META-INF/services} (see {@link Launchers}). Stateless.
 */
public interface EngineLauncher {
    /** Returns the engine's name in the System Model. */
    String engine();

    /** Returns whether Multimed ships the engine's programs. */
    boolean isEmbedded();

    /** Returns the name of the server program, by which an installation is found on the PATH. */
    String serverName();

    /** Returns the account that runs the engine if this process runs as root. */
    ServerUser user();

    /**
     * Locates the programs of a node's engine.
     *
     * @throws EngineException with the node's name if the programs are missing
     */
    ServerProgram program(NodeSpec node, ServerHome home);

    /** Locates the programs of a server that has standbys. */
    default ServerProgram primary(NodeSpec node, ServerHome home) {
        throw new EngineException("%s: Multimed makes no standbys of %s".formatted(node.name(), engine()));
    }

    /**
     * Locates the programs of a standby, which follows another server by that server's own replication.
     *
     * @param primary a running server on this machine
     * @throws EngineException also if Multimed makes no standbys of this engine
     */
    default ServerProgram standby(NodeSpec node, ServerHome home, RunningEngine primary) {
        throw new EngineException("%s: Multimed makes no standbys of %s".formatted(node.name(), engine()));
    }

    /** Returns the connection poolers that speak the engine's protocol, for comparisons. */
    default List<Pooler> poolers() {
        return List.of();
    }
}
