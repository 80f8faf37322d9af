// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server;

import io.multimed.engine.dialect.SqlDialect;
import io.multimed.engine.sql.SchemaFacts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the master's schema. Clients wait for this after each schema change. Keeps one connection open, because opening
 * a connection takes longer than the queries. Thread-safe: a caller that finds the connection in use opens a separate
 * one.
 */
final class MasterSchemaReader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterSchemaReader.class);

    private final SqlDialect dialect;
    private final Opener opener;
    private final AtomicReference<@Nullable Connection> kept = new AtomicReference<>();
    private volatile boolean closed;

    /** Opens a connection to the master. */
    @FunctionalInterface
    interface Opener {
        Connection open() throws SQLException;
    }

    MasterSchemaReader(SqlDialect dialect, Opener opener) {
        this.dialect = dialect;
        this.opener = opener;
    }

    SchemaFacts read() throws SQLException {
        Connection before = kept.getAndSet(null);
        if (before != null) {
            try {
                return read(before);
            } catch (SQLException e) {
                LOG.debug("the open connection may have broken: trying another one", e);
            }
        }
        return read(opener.open());
    }

    private SchemaFacts read(Connection connection) throws SQLException {
        boolean answered = false;
        try {
            SchemaFacts facts = dialect.catalog().schemaFacts(connection);
            if (!connection.getAutoCommit()) {
                connection.commit();
            }
            answered = true;
            return facts;
        } finally {
            if (!answered || closed || !kept.compareAndSet(null, connection)) {
                close(connection);
            }
        }
    }

    private static void close(@Nullable Connection connection) {
        if (connection != null) {
            try {
                connection.close();
            } catch (SQLException e) {
                LOG.debug("a connection did not close cleanly", e);
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        close(kept.getAndSet(null));
    }
}
