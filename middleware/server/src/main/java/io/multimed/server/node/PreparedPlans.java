// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tells which connections of a node may hold prepared statements from before a change of the schema. The engine refuses
 * such a statement if its result has another form now, and reads its parameters by the types that they had before.
 * Clients share the connections, so that a client may find a statement that it has never prepared. Thread-safe.
 */
public final class PreparedPlans {
    /** Stands for a connection whose statements must be discarded before each use. */
    private static final int OUTDATED = -1;

    private final AtomicInteger changes = new AtomicInteger();

    /** Number of changes that are being applied to the node. */
    private final AtomicInteger running = new AtomicInteger();

    /** The number of schema changes before the oldest prepared statement of each physical connection that exists. */
    private final Map<Connection, Integer> known = Collections.synchronizedMap(new WeakHashMap<>());

    /** Makes a connection discard its prepared statements. */
    @FunctionalInterface
    public interface Discard {
        void run() throws SQLException;
    }

    /** Notes a change of the schema that is visible now. */
    public void noteSchemaChange() {
        changes.incrementAndGet();
    }

    /** Notes a change of the schema that becomes visible at some moment before {@link #endSchemaChange}. */
    void beginSchemaChange() {
        running.incrementAndGet();
        changes.incrementAndGet();
    }

    void endSchemaChange() {
        changes.incrementAndGet();
        running.decrementAndGet();
    }

    /**
     * Returns whether a connection may hold statements from before a change. The first call for a connection precedes
     * its first statement.
     *
     * @param physical the connection of the engine's driver
     */
    boolean mayBeStale(Connection physical) {
        int now = changes.get();
        Integer before = known.putIfAbsent(physical, now);
        return before != null && before != now;
    }

    /** Discards the prepared statements of a connection if they may be from before a change. */
    public void discardStale(Connection physical, Discard discard) throws SQLException {
        int now = changes.get();
        if (mayBeStale(physical)) {
            discard.run();
            known.put(physical, running.get() == 0 ? now : OUTDATED);
        }
    }

    /** Notes that a transaction on the connection has changed the schema, which no other connection sees yet. */
    void outdate(Connection physical) {
        known.put(physical, OUTDATED);
    }
}
