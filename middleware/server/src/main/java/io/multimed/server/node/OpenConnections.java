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

/** Connections to one engine that are in use, so that they can be broken off when it gives no answer. What nobody holds any more, or is closed, is forgotten by itself. Thread-safe. */
public final class OpenConnections {
    private static final Logger LOG = LoggerFactory.getLogger(OpenConnections.class);

    private final Engine engine;

    /** Guarded by its own monitor, which is held for a few instructions. */
    private final Set<Connection> open = Collections.newSetFromMap(new WeakHashMap<>());

    public OpenConnections(Engine engine) {
        this.engine = engine;
    }

    /** From now on the connection is among those that are broken off; returns it. */
    public Connection add(Connection connection) {
        synchronized (open) {
            open.add(connection);
        }
        return connection;
    }

    /** It is not in use any more. */
    public void remove(Connection connection) {
        synchronized (open) {
            open.remove(connection);
        }
    }

    /**
     * Breaks all of them off: whoever waits for an answer on one gets a connection error.
     *
     * @return the engine's own numbers of their sessions, which may not know yet
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
