// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import io.multimed.server.node.task.CallingThread;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A request that waits for an engine connection. The node calls exactly one of {@link #leased} and {@link #refused}, on
 * the thread of {@link #caller} or one of the node's threads, or {@link #timedOut}, on a thread that must not be
 * blocked.
 */
public interface LeaseRequest {
    /** Receives the connection. */
    void leased(Lease lease);

    /**
     * Returns whether the connection serves single reads only, each of which is a transaction by itself. A node may
     * have special connections for them: the engine refuses all changes there, and does not keep snapshots.
     */
    default boolean readsOnly() {
        return false;
    }

    /** Returns the engine role as which the connection runs; null for the node's own user. */
    default @Nullable String role() {
        return null;
    }

    /**
     * Returns the client's session, which receives again the connection that it has left without a reset; 0 for none.
     */
    default long session() {
        return 0;
    }

    /** Returns whether the request waits as long as it takes: it is not the one of a client. */
    default boolean waitsForEver() {
        return false;
    }

    /** Returns the thread that runs the tasks on the connection, if it waits for them; null for the node's threads. */
    default @Nullable CallingThread caller() {
        return null;
    }

    /** Receives the reason why there is no connection; the message contains the node's name. */
    void refused(SQLException cause);

    /**
     * Receives the reason why there is no connection: the request has waited for the time limit of the node. Other
     * nodes may have connections; but the client has waited for long enough.
     */
    default void timedOut(SQLException cause) {
        refused(cause);
    }
}
