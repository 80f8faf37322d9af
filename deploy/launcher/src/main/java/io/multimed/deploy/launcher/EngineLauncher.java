package io.multimed.deploy.launcher;

import io.multimed.model.NodeSpec;

/** How engines of one kind are started. */
public interface EngineLauncher {
    /** As the System Model writes it. */
    String engine();

    /** Whether its programs come with Multimed. */
    boolean isEmbedded();

    /** The name of its server's program, by which an installation is found on the PATH. */
    String serverName();

    /** Who runs it if we are root. */
    ServerUser user();

    /**
     * Finds the programs of a node's engine.
     *
     * @throws EngineException with the node's name, if they are not there
     */
    ServerProgram program(NodeSpec node, ServerHome home);
}
