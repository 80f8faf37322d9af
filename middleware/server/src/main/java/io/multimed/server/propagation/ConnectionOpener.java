package io.multimed.server.propagation;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens a connection to an engine, within a bounded time. */
@FunctionalInterface
interface ConnectionOpener {
    Connection open() throws SQLException;
}
