package io.multimed.server;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import java.sql.SQLException;

/**
 * Starts and stops the engines of satellites that are added and removed at run time. Provided by the component that
 * starts engines. Methods may be called by any thread.
 */
public interface SatelliteProvisioner {
    /** For systems that start no engines: an added satellite needs an engine that is already running. */
    SatelliteProvisioner NONE = new SatelliteProvisioner() {
        @Override
        public NodeAccess start(NodeSpec node) throws SQLException {
            if (node.source() == Source.EXTERNAL) {
                var external = node.external().orElseThrow();
                return new NodeAccess(
                        node.name(),
                        external.url(),
                        external.user(),
                        external.password().reveal());
            }
            throw new SQLException(
                    "this middleware starts no engines: define %s with source: external".formatted(node.name()),
                    "0A000");
        }

        @Override
        public void stop(NodeSpec node) {
            // no engine was started
        }
    };

    /**
     * Starts the engine of a satellite; for an external engine, returns how to reach it.
     *
     * @throws SQLException with the node's name if the engine does not start
     */
    NodeAccess start(NodeSpec node) throws SQLException;

    /** Stops the engine of a satellite if it was started here, and releases its memory. */
    void stop(NodeSpec node) throws SQLException;

    /**
     * Stores a satellite that was added, so that the next start of the middleware includes it.
     *
     * @param definition as an entry of {@code nodes} in a System Model
     * @throws SQLException if it cannot be stored
     */
    default void remember(String name, String definition) throws SQLException {}

    /** Deletes the definition of a satellite that was removed. */
    default void forget(String name) throws SQLException {}
}
