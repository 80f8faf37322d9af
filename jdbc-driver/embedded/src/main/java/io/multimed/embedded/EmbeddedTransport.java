// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.embedded;

import io.multimed.jdbc.session.ConnectionLostException;
import io.multimed.jdbc.session.ErrorReportException;
import io.multimed.jdbc.session.Transport;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.server.communication.EmbeddedClient;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;

/**
 * Calls a dispatcher within this process. A request that is sent ahead is answered at once, because no message travels
 * meanwhile.
 */
final class EmbeddedTransport implements Transport {
    private static final String CLOSED = "08003";

    private final EmbeddedDispatcher dispatcher;
    private final EmbeddedClient client;

    /** The number of the last request; written by the thread that sends requests. */
    private volatile int sequence;

    private volatile int timeoutMillis;
    private volatile boolean broken;

    /** @param dispatcher hears of the end of the connection */
    EmbeddedTransport(EmbeddedDispatcher dispatcher, EmbeddedClient client) {
        this.dispatcher = dispatcher;
        this.client = client;
    }

    @Override
    public Response call(Request request, Sending sending) throws SQLException {
        checkUsable();
        sending.sends(sequence + 1);
        return unlessError(exchange(request, timeoutMillis));
    }

    @Override
    public void sendAhead(Request request) throws SQLException {
        checkUsable();
        exchange(request, timeoutMillis);
    }

    @Override
    public Response ping(int millis) throws SQLException {
        checkUsable();
        return unlessError(exchange(new Ping(), millis));
    }

    private static Response unlessError(Response answer) throws ErrorReportException {
        if (answer instanceof ErrorReport report) {
            throw new ErrorReportException(report);
        }
        return answer;
    }

    private Response exchange(Request request, int millis) throws SQLException {
        int next = sequence + 1;
        sequence = next;
        Response answer;
        try {
            answer = client.call(next, request, millis);
        } catch (SocketTimeoutException e) {
            throw lost("gave no answer in time (socketTimeout)", e);
        } catch (IOException e) {
            throw lost("is lost: " + e.getMessage(), e);
        }
        if (broken) {
            throw lost("is lost: it was closed by another thread", new IOException("closed"));
        }
        return answer;
    }

    private ConnectionLostException lost(String what, IOException cause) {
        close();
        return new ConnectionLostException(
                "the connection to the dispatcher of %s %s".formatted(dispatcher.model(), what), cause);
    }

    private void checkUsable() throws SQLException {
        if (broken) {
            throw new SQLNonTransientConnectionException("this connection is closed", CLOSED);
        }
    }

    @Override
    public void send(Request request) {
        int next = sequence + 1;
        sequence = next;
        client.send(next, request);
    }

    @Override
    public int sequence() {
        return sequence;
    }

    @Override
    public void setTimeout(int millis) {
        timeoutMillis = millis;
    }

    @Override
    public int timeout() {
        return timeoutMillis;
    }

    @Override
    public byte[] channelBinding() {
        return new byte[0];
    }

    @Override
    public boolean isEncrypted() {
        return false;
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    @Override
    public void close() {
        broken = true;
        client.close();
        dispatcher.leave(this);
    }
}
