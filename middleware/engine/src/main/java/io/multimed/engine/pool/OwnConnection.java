// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Internal work on one connection, which belongs to the object and is closed with it. One thread uses it; {@link
 * #abort} may be called by any other.
 */
public abstract class OwnConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnConnection.class);

    protected final Connection connection;

    /** @param connection belongs to this object from now on */
    protected OwnConnection(Connection connection) {
        this.connection = connection;
    }

    /** Closes the connection, so that a waiting call fails. */
    public void abort() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            LOG.debug("a connection is broken already", e);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("a connection did not close cleanly", e);
        }
    }
}
