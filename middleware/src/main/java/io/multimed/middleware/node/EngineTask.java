package io.multimed.middleware.node;

import java.sql.Connection;
import java.sql.SQLException;

/** Work that needs an engine connection. Runs on one of the node's threads, where blocking is allowed. */
@FunctionalInterface
public interface EngineTask {
    void run(Connection connection) throws SQLException;
}
