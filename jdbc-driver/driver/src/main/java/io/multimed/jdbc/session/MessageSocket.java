package io.multimed.jdbc.session;

import io.multimed.jdbc.support.SqlStates;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Frame;
import io.multimed.protocol.Ping;
import io.multimed.protocol.Request;
import io.multimed.protocol.Response;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireWriter;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A socket that answers requests one after the other: one write and one read for each. After a failure it is closed for good.
 */
public final class MessageSocket implements AutoCloseable {
    private static final int READ_BUFFER = 32 << 10;

    private final String peer;
    private final Socket socket;
    private final DataInputStream in;

    /** One request is under way at a time; protects {@link #scratch}. */
    private final ReentrantLock lock = new ReentrantLock();

    private final WireWriter scratch = new WireWriter();
    /** Written under the lock. */
    private volatile int sequence;

    private volatile int timeoutMillis;
    private volatile boolean broken;

    private MessageSocket(String peer, Socket socket) throws IOException {
        this.peer = peer;
        this.socket = socket;
        this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), READ_BUFFER));
    }

    /**
     * Connects.
     *
     * @param timeoutSeconds for the connection, and for each answer until {@link #setTimeout}; 0 for no limit
     * @throws SQLException 08001 with host and port
     */
    static MessageSocket connect(String host, int port, int timeoutSeconds, boolean keepAlive) throws SQLException {
        String peer = host + ":" + port;
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(keepAlive);
            socket.connect(new InetSocketAddress(host, port), timeoutSeconds * 1_000);
            socket.setSoTimeout(timeoutSeconds * 1_000);
            MessageSocket wire = new MessageSocket(peer, socket);
            wire.timeoutMillis = timeoutSeconds * 1_000;
            return wire;
        } catch (IOException e) {
            closeQuietly(socket);
            throw new SQLNonTransientConnectionException(
                    "cannot connect to Multimed at %s: %s; check that the middleware is running there and that host and port are right"
                            .formatted(peer, e instanceof UnknownHostException ? "unknown host" : e.getMessage()),
                    SqlStates.CANNOT_CONNECT,
                    e);
        }
    }

    /**
     * Sends a request and returns the answer.
     *
     * @throws ReportedException an error that the middleware reports
     * @throws LostException if the connection broke
     */
    Response call(Request request) throws SQLException {
        lock.lock();
        try {
            checkUsable();
            write(request);
            return read();
        } catch (SocketTimeoutException e) {
            throw breakOff("gave no answer in time (socketTimeout)", e);
        } catch (IOException | ProtocolException e) {
            throw breakOff("is lost: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    /**
     * One round trip that tells whether the other side lives.
     *
     * @param seconds for all of it, another request of this connection included; 0 for no limit
     * @return null if another request took all that time
     */
    @Nullable
    Response ping(int seconds) throws SQLException {
        try {
            if (seconds == 0) {
                lock.lock();
            } else if (!lock.tryLock(seconds, TimeUnit.SECONDS)) {
                return null;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
        int usual = timeoutMillis;
        try {
            setTimeout(seconds * 1_000);
            Response answer = call(new Ping());
            setTimeout(usual);
            return answer;
        } finally {
            lock.unlock();
        }
    }

    /** Sends a message that has no answer. */
    void send(Request request) throws IOException {
        lock.lock();
        try {
            write(request);
        } finally {
            lock.unlock();
        }
    }

    private void write(Request request) throws IOException {
        int next = sequence + 1;
        sequence = next;
        Frame.writeTo(next, request, scratch);
        socket.getOutputStream().write(scratch.array(), 0, scratch.size());
    }

    private Response read() throws IOException, SQLException {
        int length = in.readInt();
        if (length < Protocol.HEADER) {
            throw new ProtocolException("a frame of %d bytes".formatted(length));
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        Frame frame = Frame.decode(bytes);
        if (frame.message() instanceof ErrorReport report && (frame.sequence() == sequence || frame.sequence() == 0)) {
            throw new ReportedException(report);
        }
        if (frame.sequence() != sequence || !(frame.message() instanceof Response response)) {
            throw new ProtocolException("answer %d to request %d".formatted(frame.sequence(), sequence));
        }
        return response;
    }

    /** An error of the other side, before its class is chosen: the connection looks at the status first. */
    static final class ReportedException extends SQLException {
        private final transient ErrorReport report;

        ReportedException(ErrorReport report) {
            super(report.message(), report.sqlState(), report.vendorCode());
            this.report = report;
        }

        ErrorReport report() {
            return report;
        }
    }

    private void checkUsable() throws SQLException {
        if (broken) {
            throw new SQLNonTransientConnectionException("this connection is closed", SqlStates.CONNECTION_CLOSED);
        }
    }

    private LostException breakOff(String what, Exception cause) {
        close();
        return new LostException("the connection to Multimed at %s %s".formatted(peer, what), cause);
    }

    /** The connection broke; whether the last request was done is not known here. */
    static final class LostException extends SQLNonTransientConnectionException {
        LostException(String message, Exception cause) {
            super(message, SqlStates.CONNECTION_FAILED, cause);
        }

        /** Whether the answer did not arrive before the network timeout. */
        boolean isLate() {
            return getCause() instanceof SocketTimeoutException;
        }
    }

    /** The number of the last request. */
    int sequence() {
        return sequence;
    }

    /** Longest wait for one answer in milliseconds; 0 for no limit. */
    public void setTimeout(int millis) throws SQLException {
        try {
            socket.setSoTimeout(millis);
            timeoutMillis = millis;
        } catch (IOException e) {
            throw breakOff("is lost: " + e.getMessage(), e);
        }
    }

    public int timeout() {
        return timeoutMillis;
    }

    boolean isBroken() {
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
            // Nothing is lost: nobody reads from it any more.
            return;
        }
    }
}
