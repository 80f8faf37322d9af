// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The connections of the clients of one target, which remain open between rounds, as those of an application do. An
 * engine reads catalogs and prepares statements for each connection, so that rounds with new connections would measure
 * this work more than the interactions. Thread-safe: each client has a number of its own.
 */
final class KeptConnections implements AutoCloseable {
    private static final int SECONDS_TO_ANSWER = 5;

    private final Target target;

    /** By the client's number; no client works on these connections. */
    private final Map<Integer, Connection> idle = new ConcurrentHashMap<>();

    /** Set before the kept connections are closed: a browser that hung may release a connection later. */
    private volatile boolean isClosed;

    KeptConnections(Target target) {
        this.target = target;
    }

    /** Returns the kept connection of a client, or a new one if there is none that answers. */
    Connection connect(int client) throws SQLException {
        Connection kept = idle.remove(client);
        if (kept != null) {
            if (kept.isValid(SECONDS_TO_ANSWER)) {
                return kept;
            }
            close(kept);
        }
        return target.connectToMeasure();
    }

    /** Keeps an open connection of a client. */
    void release(int client, Connection connection) throws SQLException {
        if (!connection.isClosed()) {
            Connection before = idle.put(client, connection);
            if (before != null) { // a browser that hung in an earlier round
                close(before);
            }
            if (isClosed && idle.remove(client, connection)) {
                close(connection);
            }
        }
    }

    /** Closes all connections. */
    @Override
    public void close() {
        isClosed = true;
        idle.values().forEach(KeptConnections::close);
        idle.clear();
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            return; // the connection is lost already
        }
    }
}
