package io.multimed.middleware.node.engine;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** What must be known of an engine's SQL to route it. In doubt every answer leads to the master. */
public interface SqlDialect {
    /**
     * Functions that give the same answer on every node, by the catalogue of the master: stable or immutable in all forms, and not about the
     * engine itself (its sessions, files, settings).
     *
     * @return names in lower case
     */
    Set<String> pureFunctions(Connection master) throws SQLException;

    /** Whether a table name, as written in a statement in lower case, is of the engine's own catalogue: such reads are the master's. */
    boolean isCatalogue(String table);

    /** Whether a satellite's error may be due to what it does not hold, so that the master must have the last word. */
    boolean mayBeMissingOnSatellite(SQLException failure);

    /** Whether a statement was broken off because it waited for a lock, or ran, for longer than its connection allows. */
    boolean hasLostPatience(SQLException failure);

    /** Whether the connection broke, or the engine is stopping: the statement may be run elsewhere. */
    boolean isConnectionFailure(SQLException failure);
}
