package io.multimed.server.node;

import java.sql.Connection;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Tells which connections of a node may hold prepared statements from before a change of the schema: the engine refuses
 * such a statement if its result has another form now, which ends the transaction. Thread-safe.
 */
final class PreparedPlans {
    private final AtomicInteger schemaChanges = new AtomicInteger();

    /** The number of schema changes at the first use of each physical connection that still exists. */
    private final Map<Connection, Integer> firstUses = Collections.synchronizedMap(new WeakHashMap<>());

    /** Notes a change of the schema, see {@link ComputationalNode#noteSchemaChange}. */
    void noteSchemaChange() {
        schemaChanges.incrementAndGet();
    }

    /**
     * Returns whether the schema may have changed since the first use of a connection, which is the first call for it.
     *
     * @param physical the connection of the engine's driver
     */
    boolean mayBeStale(Connection physical) {
        int now = schemaChanges.get();
        Integer first = firstUses.putIfAbsent(physical, now);
        return first != null && first != now;
    }
}
