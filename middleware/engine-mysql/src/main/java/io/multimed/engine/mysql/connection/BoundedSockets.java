// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import com.mysql.cj.NativeSession;
import com.mysql.cj.Session;
import com.mysql.cj.jdbc.JdbcConnection;
import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.pool.EngineSocket;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Breaks off an answer of the engine that is larger than the middleware may hold at once. Connector/J reads an answer
 * as a whole and has no bound of its own. Streamed rows are not held, and therefore have no bound.
 *
 * <p>The driver creates one instance for each connection, by the name of the class. Only the thread that uses the
 * connection calls the instance.
 */
public final class BoundedSockets extends EngineSockets {
    /**
     * Percentage of the maximum heap that one answer may occupy. The driver keeps each value as bytes, and the message
     * that is created from these values exists beside them for a moment.
     */
    static final int RESULT_PERCENT = 20;

    private final long limit = limit();

    /** Bytes received since the last request was sent. */
    private long received;

    /** The statement whose answer is not bounded, as long as the statement is open. */
    private @Nullable Statement streaming;

    /** Called by the driver. */
    public BoundedSockets() {}

    /** Returns the limit in bytes, as the engine sends them. */
    public static long limit() {
        return Runtime.getRuntime().maxMemory() / 100 * RESULT_PERCENT;
    }

    /** Reports that an answer is larger than the limit. The driver's connection is unusable afterwards. */
    static final class BeyondLimitException extends IOException {}

    /**
     * Removes the bound from the answer to a statement that streams its rows, as long as the statement is open. Does
     * nothing on connections that do not use this class.
     */
    public static void exempt(Statement statement) throws SQLException {
        Session session = statement.getConnection().unwrap(JdbcConnection.class).getSession();
        if (session instanceof NativeSession known
                && known.getProtocol() != null
                && known.getProtocol().getSocketConnection().getSocketFactory() instanceof BoundedSockets bounded) {
            bounded.streaming = statement;
        }
    }

    /**
     * Counts bytes, and reserves memory for them in the budget that all clients share.
     *
     * @throws BeyondLimitException if the answer exceeds the limit
     * @throws IOException if the budget has no room in time, see {@link ResultMeter#took}
     */
    private void receive(int bytes) throws IOException {
        received += Math.max(0, bytes);
        if (received > limit && !isStreaming()) {
            throw new BeyondLimitException();
        }
        ResultMeter.took(bytes);
    }

    private boolean isStreaming() {
        Statement open = streaming;
        try {
            return open != null && !open.isClosed();
        } catch (SQLException e) {
            return false;
        }
    }

    @Override
    Socket createSocket(Optional<Path> path) throws IOException {
        return new Bounded(path);
    }

    /** Counts the bytes that arrive after a request was sent; each request restarts the count. */
    private final class Bounded extends EngineSocket {
        Bounded(Optional<Path> path) throws IOException {
            super(path);
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    int read = in.read();
                    receive(read < 0 ? 0 : 1);
                    return read;
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    int read = in.read(bytes, offset, length);
                    receive(read);
                    return read;
                }
            };
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    received = 0;
                    out.write(bytes, offset, length);
                }
            };
        }
    }
}
