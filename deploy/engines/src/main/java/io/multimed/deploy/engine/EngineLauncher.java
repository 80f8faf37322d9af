package io.multimed.deploy.engine;

import io.multimed.model.Node;

/** Starts engines of one kind. */
public interface EngineLauncher {
    /** As the System Model writes it. */
    String engine();

    /**
     * Starts the engine of a node and returns when it answers.
     *
     * @param database is created if it is not there
     * @throws EngineException with the node's name, if it does not start
     */
    RunningEngine start(Node node, String database, StateFolder state);
}
