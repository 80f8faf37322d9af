// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.jdbc.session;

import io.multimed.jdbc.settings.DriverProperty;
import io.multimed.jdbc.settings.SessionTarget;
import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Ping;
import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireWriter;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests over a socket. A failure closes the socket for good, because the next bytes could belong to an earlier
 * response.
 */
final class SocketTransport implements Transport {
    private static final int READ_BUFFER = 32 << 10;

    private static final int FIRST_REQUEST = 1;

    /** The first answer is short, in contrast to what the first bytes of another protocol mean as a length. */
    private static final int MAX_FIRST_FRAME = (16 << 20) - 1;

    private final String peer;
    private final Socket socket;
    private final DataInputStream in;

    private final WireWriter buffer = new WireWriter();
    /** The number of the last request; written by the thread that sends requests. */
    private volatile int sequence;

    /** The number of the request that was sent ahead, until its response has been read; 0 if there is none. */
    private int sentAhead;

    /** The limit for a response that the application has set; a ping may have a shorter one. */
    private volatile int timeoutMillis;

    private volatile boolean broken;

    private SocketTransport(String peer, Socket socket) throws IOException {
        this.peer = peer;
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), READ_BUFFER));
    }

    /**
     * Connects to the middleware.
     *
     * @param timeoutSeconds limit for connecting, and for each response until {@link #setTimeout}; 0 for no limit
     * @param tls encrypts the connection; null for a connection without TLS
     * @throws SQLException 08001 with host and port
     */
    static SocketTransport connect(SessionTarget target, int timeoutSeconds, @Nullable ClientTls tls)
            throws SQLException {
        String peer = target.host() + ":" + target.port();
        Socket socket = connect(target, peer, timeoutSeconds);
        try {
            Socket used = tls == null ? socket : tls.encrypt(socket, target.host(), target.port());
            SocketTransport wire = new SocketTransport(peer, used);
            wire.timeoutMillis = timeoutSeconds * 1_000;
            return wire;
        } catch (SQLException e) {
            closeQuietly(socket);
            throw e;
        } catch (IOException e) {
            closeQuietly(socket);
            throw cannotConnect(peer, e);
        }
    }

    private static Socket connect(SessionTarget target, String peer, int timeoutSeconds) throws SQLException {
        Socket socket = new GreetedSocket();
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(DriverProperty.TCP_KEEP_ALIVE.booleanValue(target.properties()));
            socket.connect(new InetSocketAddress(target.host(), target.port()), timeoutSeconds * 1_000);
            socket.setSoTimeout(timeoutSeconds * 1_000);
            return socket;
        } catch (IOException e) {
            closeQuietly(socket);
            throw cannotConnect(peer, e);
        }
    }

    private static SQLException cannotConnect(String peer, IOException cause) {
        return new SQLNonTransientConnectionException(
                "cannot connect to Multimed at %s: %s; check that the middleware is running there and that host and port are right"
                        .formatted(peer, cause instanceof UnknownHostException ? "unknown host" : cause.getMessage()),
                SqlStates.CANNOT_CONNECT,
                cause);
    }

    @Override
    public byte[] channelBinding() throws SQLException {
        return ClientTls.binding(socket);
    }

    @Override
    public boolean isEncrypted() {
        return socket instanceof SSLSocket;
    }

    @Override
    public boolean isLocal() {
        return socket.getInetAddress().isLoopbackAddress();
    }

    @Override
    public Response call(Request request, Sending sending) throws SQLException {
        try {
            checkUsable();
            sending.sends(sequence + 1);
            write(request);
            ErrorReport skipped = skipSentAhead();
            return skipped == null ? read(sequence) : readAfter(skipped);
        } catch (SocketTimeoutException e) {
            throw closeAndReport("gave no answer in time (socketTimeout)", e);
        } catch (IOException | ProtocolException e) {
            throw closeAndReport("is lost: " + e.getMessage(), e);
        }
    }

    @Override
    public void sendAhead(Request request) throws SQLException {
        try {
            checkUsable();
            skipSentAhead();
            write(request);
            sentAhead = sequence;
        } catch (IOException | ProtocolException e) {
            throw closeAndReport("is lost: " + e.getMessage(), e);
        }
    }

    /**
     * Reads the response to the request that was sent ahead. Returns the error that the response reports; null if it
     * reports none, or if no request was sent ahead.
     */
    private @Nullable ErrorReport skipSentAhead() throws IOException, SQLException {
        int skipped = sentAhead;
        if (skipped == 0) {
            return null;
        }
        sentAhead = 0;
        try {
            read(skipped);
            return null;
        } catch (ErrorReportException e) {
            return e.report();
        }
    }

    /**
     * Reads the response to the last request after an error that the application has not seen. If the middleware has
     * closed the connection, the message contains this error, which is the reason.
     */
    private Response readAfter(ErrorReport error) throws IOException, SQLException {
        try {
            return read(sequence);
        } catch (EOFException e) {
            throw closeAndReport("was closed: " + error.message(), e);
        }
    }

    @Override
    public Response ping(int millis) throws SQLException {
        limitReads(millis);
        Response answer = call(new Ping());
        limitReads(timeoutMillis);
        return answer;
    }

    private void limitReads(int millis) throws SQLException {
        try {
            socket.setSoTimeout(millis);
        } catch (IOException e) {
            throw closeAndReport("is lost: " + e.getMessage(), e);
        }
    }

    @Override
    public void send(Request request) throws IOException {
        write(request);
    }

    /** Writes a request with the next sequence number, in one call of the socket. */
    private void write(Request request) throws IOException {
        int next = sequence + 1;
        sequence = next;
        Frame.writeTo(next, request, buffer);
        socket.getOutputStream().write(buffer.array(), 0, buffer.size());
    }

    /**
     * Reads the response to a request. An error report without a sequence number also counts as the response: the
     * middleware sends such a report if the request is not readable.
     */
    private Response read(int number) throws IOException, SQLException {
        int length = in.readInt();
        if (length < Protocol.HEADER || (number == FIRST_REQUEST && length > MAX_FIRST_FRAME)) {
            throw new ProtocolException(
                    "a frame of %d bytes; check that host and port are those of the middleware".formatted(length));
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        Frame frame = Frame.decode(bytes);
        if (frame.message() instanceof ErrorReport report && (frame.sequence() == number || frame.sequence() == 0)) {
            throw new ErrorReportException(report);
        }
        if (frame.sequence() != number || !(frame.message() instanceof Response response)) {
            throw new ProtocolException("answer %d to request %d".formatted(frame.sequence(), number));
        }
        return response;
    }

    private void checkUsable() throws SQLException {
        if (broken) {
            throw new SQLNonTransientConnectionException("this connection is closed", SqlStates.CONNECTION_CLOSED);
        }
    }

    /** Closes the socket, and returns the exception that reports the reason. */
    private ConnectionLostException closeAndReport(String what, Exception cause) {
        close();
        return new ConnectionLostException("the connection to Multimed at %s %s".formatted(peer, what), cause);
    }

    @Override
    public int sequence() {
        return sequence;
    }

    @Override
    public void setTimeout(int millis) throws SQLException {
        timeoutMillis = millis;
        limitReads(millis);
    }

    @Override
    public int timeout() {
        return timeoutMillis;
    }

    @Override
    public boolean isBroken() {
        return broken;
    }

    @Override
    public void close() {
        broken = true;
        closeQuietly(socket);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // The socket is not used again, so this failure has no consequences.
            return;
        }
    }
}
