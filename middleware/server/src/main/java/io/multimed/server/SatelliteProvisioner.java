// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.pool.NodeAccess;
import io.multimed.model.NodeSpec;
import io.multimed.model.Source;
import java.sql.SQLException;

/**
 * Starts and stops the engines of satellites that are added and removed at run time, and changes running engines.
 * Provided by the component that starts engines. Methods may be called by any thread.
 */
public interface SatelliteProvisioner {
    /** For systems that start no engines: an added satellite needs an engine that is already running. */
    SatelliteProvisioner NONE = new SatelliteProvisioner() {
        @Override
        public NodeAccess start(NodeSpec node) throws SQLException {
            if (node.program().source() == Source.EXTERNAL) {
                var external = node.program().external().orElseThrow();
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
     * Stops the running engine of a node, which may be the master, and starts it on the same data and port. Returns
     * when the engine accepts connections.
     *
     * @throws SQLException 0A000 if the engine was not started here; 58000 if it does not start
     */
    default void restart(NodeSpec node) throws SQLException {
        throw foreign(node);
    }

    /**
     * Stops the engine of a standby, removes its data, and makes the standby again from the master. Returns when the
     * engine accepts connections.
     *
     * @throws SQLException 0A000 if the engine was not started here; 58000 if it does not start
     */
    default void remake(NodeSpec node) throws SQLException {
        throw foreign(node);
    }

    /**
     * Moves the running engine of a node to the cores of its definition: all processes and threads, and those that
     * begin later, also after a restart. Does nothing for an external engine, which is not pinned.
     *
     * @throws SQLException 0A000 if the engine was not started here; 58000 if it cannot be moved
     */
    default void pin(NodeSpec node) throws SQLException {
        if (node.program().source() != Source.EXTERNAL) {
            throw foreign(node);
        }
    }

    /**
     * Checks, before anything is changed, whether the engine of a satellite could be started here.
     *
     * @throws SQLException 58000 or 0A000 with the reason
     */
    default void check(NodeSpec node) throws SQLException {
        if (node.program().source() != Source.EXTERNAL) {
            throw foreign(node);
        }
    }

    /** Returns the error for an operation on an engine that was not started here. */
    static SQLException foreign(NodeSpec node) {
        return new SQLException(
                "Multimed has not started the engine of %s, and cannot change it: pause the master or drain the satellite, restart the engine yourself, then resume"
                        .formatted(node.name()),
                "0A000");
    }

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
