// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import java.util.Comparator;
import java.util.List;

/**
 * A client that has logged in, for display.
 *
 * @param user empty if the middleware asks for no user
 * @param address of the client
 * @param connectedMillis time since its connection
 * @param inTransaction whether a transaction was open after its last request
 * @param running whether a request is being handled
 * @param stateMillis time since the request began or, if none is being handled, since the last one was answered
 * @param pinned why the client keeps a connection to the master; empty if it keeps none
 */
public record ConnectedClient(
        String user,
        String address,
        long connectedMillis,
        boolean inTransaction,
        boolean running,
        long stateMillis,
        List<String> pinned) {
    /** In a transaction, then those that keep a connection, then those that run a request; the longest first. */
    static final Comparator<ConnectedClient> MOST_DEMANDING_FIRST = Comparator.comparing(ConnectedClient::rank)
            .thenComparing(ConnectedClient::stateMillis, Comparator.reverseOrder());

    public ConnectedClient {
        pinned = List.copyOf(pinned);
    }

    private int rank() {
        if (inTransaction) {
            return 0;
        }
        return !pinned.isEmpty() ? 1 : running ? 2 : 3;
    }
}
