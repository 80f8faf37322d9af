package io.multimed.middleware.node.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;

/** Knows how an engine's session was before a client's statement could change it. Used by one client's session. */
@FunctionalInterface
public interface SessionWatch {
    /**
     * What the engine's session holds beyond its transactions, in words for people: settings, temporary tables, locks. The connection has no transaction open, and has none
     * afterwards.
     *
     * @param settings names of settings that the engine does not list by itself
     * @return empty if another client may use the session
     */
    List<String> held(Connection connection, Set<String> settings) throws SQLException;
}
