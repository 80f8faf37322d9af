package io.multimed.server.node;

import java.sql.SQLException;

/**
 * A request that waits for an engine connection. The node calls exactly one of {@link #leased} and {@link #refused}, on
 * one of the node's threads.
 */
public interface LeaseRequest {
    /** Receives the connection. */
    void leased(Lease lease);

    /** Returns whether a connection on which the engine refuses all changes is sufficient. */
    default boolean readsOnly() {
        return false;
    }

    /** Receives the reason why there is no connection; the message contains the node's name. */
    void refused(SQLException cause);
}
