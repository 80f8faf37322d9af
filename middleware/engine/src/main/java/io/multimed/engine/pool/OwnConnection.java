package io.multimed.engine.pool;

import java.sql.Connection;
import java.sql.SQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Multimed's own work over one connection that nobody else has. One thread works; any other may break it off. */
public abstract class OwnConnection implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OwnConnection.class);

    protected final Connection connection;

    /** @param connection is closed with this */
    protected OwnConnection(Connection connection) {
        this.connection = connection;
    }

    /** Breaks off whatever is waited for, which then fails; called by another thread. */
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
