// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import io.multimed.protocol.response.Response;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.node.task.CallingThread;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one client: brings the client's requests to its session, and the answers to the client. Callable
 * from any thread, provided that answers are sent one after the other.
 */
public interface ClientTransport {
    /** Receives what the client sends. */
    interface Session {
        /** Handles a complete frame. The session owns the frame. Called by one thread at a time. */
        void received(ReceivedFrame frame);

        /** Ends the session with an error for the client, also while a request runs. */
        void terminate(String sqlState, String reason);

        /** Returns whether the client has logged in. It may then send messages other than a login. */
        boolean isKnown();
    }

    /** Returns the client's address and port, for display. */
    String remoteAddress();

    /** Returns both ends of the connection, by which the account of a client on this machine can be found. */
    LocalConnection ends();

    /**
     * Returns the thread that runs the session's tasks while it waits for an answer, if the client is a part of this
     * process, which needs no login; null for the client of a port.
     */
    default @Nullable CallingThread caller() {
        return null;
    }

    /** Returns the version of TLS that the client uses; empty without TLS. */
    String tls();

    /** Returns the binding of a login to the certificate that the connection uses. */
    byte[] channelBinding();

    /** Sends the answer to a request; 0 for an error that answers none. */
    void send(int sequence, Response response);

    /**
     * Runs an action, which handles a request, when the client has read enough of the preceding answers. At most one
     * action waits.
     */
    void whenRead(Runnable action);

    /** Lets the next request wait until the answers to the preceding ones are written. */
    void awaitWrites();

    /** Releases the memory of answers that the client has not read. */
    void releaseAnswers();

    /** Called about once per second: enforces the time limits of the connection. */
    void checkLimits();

    /** Closes the connection when all answers are written. */
    void closeOnFlush();

    void closeNow();

    /** Ends a connection whose login is late, and whose client may not be able to receive the error. */
    void closeLate();

    /** Releases what belongs to received bytes, after the connection was closed. */
    void stopReading();

    /** Starts the request that waits for the client to read, after the session has noticed its end. */
    void resumeClosed();
}
