package io.multimed.engine.postgresql.connection;

import io.multimed.engine.memory.ResultMeter;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Creates sockets that count the bytes received from the engine, see {@link ResultMeter}. The engine's driver
 * instantiates this class by name ({@code socketFactory}) for each connection.
 */
public final class MeteredSockets extends SocketFactory {
    /** Creates the factory; called by the driver, by reflection. */
    public MeteredSockets() {}

    @Override
    public Socket createSocket() {
        return new Metered();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw unsupported();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) {
        throw unsupported();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw unsupported();
    }

    @Override
    public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort) {
        throw unsupported();
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("the driver connects the socket itself");
    }

    /**
     * A socket whose stream counts what the driver reads. If no memory is free, the read fails, and with it the
     * connection: see {@link ResultMeter#took}.
     */
    private static final class Metered extends Socket {
        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    int read = in.read(bytes, offset, length);
                    ResultMeter.took(read);
                    return read;
                }
            };
        }
    }
}
