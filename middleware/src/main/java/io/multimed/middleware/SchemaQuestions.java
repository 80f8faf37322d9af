package io.multimed.middleware;

import io.multimed.middleware.node.engine.SqlDialect;
import io.multimed.middleware.node.engine.sql.SchemaFacts;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the master for its schema, which clients wait for after each change of it: over a connection that is kept, because opening one takes longer than the questions. Thread-safe; whoever
 * finds the connection in use opens one for himself.
 */
final class SchemaQuestions implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaQuestions.class);

    private final SqlDialect dialect;
    private final Opener opener;
    private final AtomicReference<@Nullable Connection> kept = new AtomicReference<>();
    private volatile boolean closed;

    /** Opens a connection to the master. */
    @FunctionalInterface
    interface Opener {
        Connection open() throws SQLException;
    }

    SchemaQuestions(SqlDialect dialect, Opener opener) {
        this.dialect = dialect;
        this.opener = opener;
    }

    SchemaFacts ask() throws SQLException {
        Connection before = kept.getAndSet(null);
        if (before != null) {
            try {
                return ask(before);
            } catch (SQLException e) {
                LOG.debug("the connection that was kept may have broken since: another one is asked", e);
            }
        }
        return ask(opener.open());
    }

    private SchemaFacts ask(Connection connection) throws SQLException {
        boolean answered = false;
        try {
            SchemaFacts facts = dialect.schemaFacts(connection);
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
