// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.engine.Engine;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections to one engine that are in use, so that they can be aborted when the engine does not respond.
 * Connections that are closed or unreachable for the program are removed automatically. Thread-safe.
 */
public final class OpenConnections {
    private static final Logger LOG = LoggerFactory.getLogger(OpenConnections.class);

    private final Engine engine;

    /** Guarded by its own monitor, which is held for a few instructions. */
    private final Set<Connection> open = Collections.newSetFromMap(new WeakHashMap<>());

    public OpenConnections(Engine engine) {
        this.engine = engine;
    }

    /** Adds a connection to those that {@link #abort} closes; returns the connection. */
    public Connection add(Connection connection) {
        synchronized (open) {
            open.add(connection);
        }
        return connection;
    }

    /** Removes a connection that is not in use any more. */
    public void remove(Connection connection) {
        synchronized (open) {
            open.remove(connection);
        }
    }

    /**
     * Aborts all connections: a thread that waits for a response receives a connection error.
     *
     * @return the engine's identifiers of the sessions, which may still exist on the engine
     */
    public Set<Integer> abort() {
        List<Connection> aborted;
        synchronized (open) {
            aborted = new ArrayList<>(open);
            open.clear();
        }
        Set<Integer> sessions = new HashSet<>();
        for (Connection connection : aborted) {
            abort(connection, sessions);
        }
        return sessions;
    }

    /** Aborts the connection of a session, if it is still in use. */
    public void abort(int session) {
        List<Connection> found;
        synchronized (open) {
            found = new ArrayList<>(open);
        }
        found.stream()
                .filter(connection -> engine.session(connection) == session)
                .forEach(connection -> {
                    remove(connection);
                    abort(connection, new HashSet<>());
                });
    }

    private void abort(Connection connection, Set<Integer> sessions) {
        try {
            int session = engine.session(connection);
            if (!connection.isClosed() && session != 0) {
                sessions.add(session);
            }
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("a connection is broken already", e);
        }
    }
}
