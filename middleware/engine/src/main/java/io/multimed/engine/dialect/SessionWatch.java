package io.multimed.engine.dialect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** Knows how an engine's session was before a client's statement could change it. Used by one client's session. */
@FunctionalInterface
public interface SessionWatch {
    /**
     * What the client has left in the engine's session. The connection has no transaction open, and has none afterwards.
     *
     * @param settings names of settings that the engine does not list by itself
     */
    SessionState inspect(Connection connection, Set<String> settings) throws SQLException;
}
