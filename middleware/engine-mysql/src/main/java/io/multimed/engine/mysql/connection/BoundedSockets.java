package io.multimed.engine.mysql.connection;

import com.mysql.cj.NativeSession;
import com.mysql.cj.Session;
import com.mysql.cj.conf.PropertySet;
import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.protocol.StandardSocketFactory;
import io.multimed.engine.memory.ResultMeter;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * Breaks off an answer that is larger than the middleware holds at once: the engine's driver, which reads it whole, has no bound of its own. Rows that stream are not held, and have none. The
 * driver makes one of these for each connection, by its name; used by the connection's thread.
 */
public final class BoundedSockets extends StandardSocketFactory {
    /** Of the heap. The driver keeps each value as bytes of its own, and the answer that is made of them is there for a moment twice. */
    static final int RESULT_PERCENT = 20;

    private final long limit = limit();
    private long received;
    private @Nullable Statement streaming;

    /** For the driver. */
    public BoundedSockets() {}

    /** In bytes, as the engine sends them. */
    public static long limit() {
        return Runtime.getRuntime().maxMemory() / 100 * RESULT_PERCENT;
    }

    /** An answer is larger than the limit. */
    static final class BeyondLimitException extends IOException {}

    /** The answer to this statement is not held: it has no bound as long as the statement is open. */
    public static void exempt(Statement statement) throws SQLException {
        Session session = statement.getConnection().unwrap(JdbcConnection.class).getSession();
        if (session instanceof NativeSession known
                && known.getProtocol() != null
                && known.getProtocol().getSocketConnection().getSocketFactory() instanceof BoundedSockets bounded) {
            bounded.streaming = statement;
        }
    }

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
    protected Socket createSocket(PropertySet properties) {
        return new Bounded();
    }

    /** Counts what comes since something was sent. */
    private final class Bounded extends Socket {
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
