package io.multimed.server.node;

import java.sql.SQLException;

/** Somebody who waits for an engine connection. Exactly one of the two methods is called, on one of the node's threads. */
public interface LeaseRequest {
    /** The connection is there. */
    void leased(Lease lease);

    /** Whether a connection on which the engine refuses all changes suffices. */
    default boolean readsOnly() {
        return false;
    }

    /** The engine cannot be reached; the node's name is in the message. */
    void refused(SQLException cause);
}
