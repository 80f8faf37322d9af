// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.read;

import io.multimed.server.dispatcher.statement.Cancellation;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cancels a message in which statements of several clients run, on request of any of them, or of the lane's watch. */
final class MessageCancellation {
    private final Cancellation message = new Cancellation();
    private final List<Cancellation> clients;

    MessageCancellation(List<Cancellation> clients) {
        this.clients = clients;
    }

    /** Records that the message is about to run. */
    void begin(Cancellation.Canceler canceler) {
        message.begin(canceler);
        for (Cancellation client : clients) {
            client.begin(message::cancel);
        }
    }

    /**
     * Records that the message has ended, and waits for cancel requests that are in progress. After this, no request
     * can reach a later statement of the connection.
     *
     * @throws SQLException 08006 if a wait takes too long; the connection must not be used again
     */
    void end() throws SQLException {
        SQLException failure = null;
        for (Cancellation client : clients) {
            failure = end(client, failure);
        }
        failure = end(message, failure);
        if (failure != null) {
            throw failure;
        }
    }

    private static @Nullable SQLException end(Cancellation each, @Nullable SQLException before) {
        try {
            each.end();
            return before;
        } catch (SQLException e) {
            return e;
        }
    }

    /**
     * Records that the message has ended because the connection broke. Does not wait: an engine that hangs does not
     * answer a cancel request either.
     */
    void abandon() {
        clients.forEach(Cancellation::abandon);
        message.abandon();
    }

    /** Returns whether the message has been canceled; final after {@link #end}. */
    boolean wasRequested() {
        return message.wasRequested();
    }

    /** Cancels the message, if it is running. Blocks. */
    void cancel() throws SQLException {
        message.cancel();
    }
}
