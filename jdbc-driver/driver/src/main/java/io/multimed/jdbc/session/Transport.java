// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.Response;
import java.io.IOException;
import java.sql.SQLException;

/**
 * Sends the requests of one session to the middleware, and receives the response to each of them: over a socket, or
 * within the process ({@link TransportProvider}).
 *
 * <p>One thread at a time sends requests: the one that opens the session, and from then on the one that holds the guard
 * of the {@link SessionChannel}. All threads may call {@link #close}, {@link #setTimeout} and the methods that return
 * the state.
 */
public interface Transport extends AutoCloseable {
    /** Hears the number of a request before the request is sent. */
    @FunctionalInterface
    interface Sending {
        void sends(int number) throws SQLException;
    }

    /**
     * Sends a request and returns the response.
     *
     * @throws ErrorReportException if the middleware reports an error
     * @throws ConnectionLostException if the connection broke
     */
    default Response call(Request request) throws SQLException {
        return call(request, number -> {});
    }

    /** As {@link #call(Request)}; if {@code sending} throws an exception, the request is not sent. */
    Response call(Request request, Sending sending) throws SQLException;

    /**
     * Sends a request without waiting for the response, which the next {@link #call} reads and discards. If the
     * response to an earlier such request is outstanding, the method reads that response first.
     *
     * @throws ConnectionLostException if the connection broke
     */
    void sendAhead(Request request) throws SQLException;

    /**
     * Returns the response to a ping.
     *
     * @param millis limit for the response, in place of {@link #timeout}; 0 for no limit
     */
    Response ping(int millis) throws SQLException;

    /** Sends a message that has no response. */
    void send(Request request) throws IOException;

    /** Returns the number of the last request. */
    int sequence();

    /**
     * Sets the limit for a response.
     *
     * @param millis in milliseconds; 0 for no limit
     */
    void setTimeout(int millis) throws SQLException;

    /** Returns the limit for a response in milliseconds; 0 for no limit. */
    int timeout();

    /** Returns the binding of a login to the middleware's certificate. */
    byte[] channelBinding() throws SQLException;

    /** Returns whether the connection uses TLS. */
    boolean isEncrypted();

    /** Returns whether the other side is on this machine. */
    boolean isLocal();

    /** Returns whether the connection is closed, by a failure or by this side. */
    boolean isBroken();

    @Override
    void close();
}
