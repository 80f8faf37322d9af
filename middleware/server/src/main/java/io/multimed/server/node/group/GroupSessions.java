// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import io.multimed.engine.Engine;
import io.multimed.server.node.OpenConnections;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The engine's sessions of the connections for commit groups, one for each physical connection. Thread-safe. */
final class GroupSessions {
    private static final Logger LOG = LoggerFactory.getLogger(GroupSessions.class);

    /** Time after which an idle session is restored: a pool examines the connection before its next use. */
    private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Engine engine;
    private final OpenConnections inUse;
    private final Map<Connection, GroupSession> sessions = Collections.synchronizedMap(new WeakHashMap<>());

    /** @param inUse the connections that are aborted when the node is fenced off, also during a reset */
    GroupSessions(Engine engine, OpenConnections inUse) {
        this.engine = engine;
        this.inUse = inUse;
    }

    GroupSession of(Connection connection) throws SQLException {
        return sessions.computeIfAbsent(connection.unwrap(Connection.class), physical -> new GroupSession());
    }

    /** Begins a use by a client, as {@link GroupSession#beginUse}. */
    void beginUse(Connection connection, long client) throws SQLException {
        of(connection).beginUse(client, () -> restore(connection));
    }

    /** Restores the initial state of the session. */
    void reset(Connection connection) throws SQLException {
        of(connection).reset(() -> restore(connection));
    }

    private void restore(Connection connection) throws SQLException {
        engine.dialect().sessions().resetSession(connection);
    }

    /** Returns whether {@link #resetIdle} has something to do. Does not block. */
    boolean areResetsDue() {
        return copy().values().stream().anyMatch(session -> session.isResetDue(IDLE_NANOS));
    }

    /** Restores the idle sessions that clients have left without a reset. */
    void resetIdle() {
        copy().forEach(this::resetIfDue);
    }

    private void resetIfDue(Connection physical, GroupSession session) {
        if (!session.isResetDue(IDLE_NANOS)) {
            return;
        }
        boolean reset = false;
        inUse.add(physical);
        try {
            session.resetIfDue(IDLE_NANOS, () -> restore(physical));
            reset = true;
        } catch (SQLException e) {
            LOG.debug("a session could not be reset", e);
        } finally {
            inUse.remove(physical);
            if (!reset) {
                sessions.remove(physical);
                close(physical);
            }
        }
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("a connection did not close cleanly", e);
        }
    }

    private Map<Connection, GroupSession> copy() {
        synchronized (sessions) {
            return new HashMap<>(sessions);
        }
    }
}
