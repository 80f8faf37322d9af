package io.multimed.server.node;

import io.multimed.engine.pool.ConnectionPool;
import java.sql.SQLException;

/** Opens a pool of connections that run as an engine role. */
@FunctionalInterface
public interface RolePoolOpener {
    /**
     * Opens the pool.
     *
     * @param reads whether the connections serve single reads only
     * @throws SQLException if the role cannot be used
     */
    ConnectionPool open(String role, boolean reads) throws SQLException;
}
