// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A bounded set of connections to one node, for one purpose. Opened by {@link io.multimed.engine.Engine}; belongs to
 * the node. Thread-safe.
 */
public interface ConnectionPool extends AutoCloseable {
    /**
     * Leases a connection; closing the connection returns it to the pool.
     *
     * @throws SQLException if no connection becomes available within the pool's connection timeout
     */
    Connection getConnection() throws SQLException;

    /** Closes a leased connection for good instead of returning it to the pool. */
    void evict(Connection leased);

    /** Closes all connections, those that are leased when they are returned. */
    void renew();

    /** Uses another password for the connections that are opened from now on; existing connections remain. */
    default void setPassword(String password) {
        throw new UnsupportedOperationException("the password of this pool does not change");
    }

    /** Returns whether the pool has no connection and no thread waits for one. */
    boolean isEmpty();

    /** Returns whether a thread waits for a connection while the pool has none, because none could be opened. */
    boolean isStarved();

    /** Closes all connections, those that are leased, too: their transactions are rolled back. */
    @Override
    void close();
}
