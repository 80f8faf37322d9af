// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.memory.ResultMeter;
import io.multimed.engine.pool.EngineSocket;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.SocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * Creates sockets that count the bytes received from the engine, see {@link ResultMeter}. The engine's driver
 * instantiates this class by name ({@code socketFactory}) for each connection.
 */
public final class MeteredSockets extends SocketFactory {
    private final Optional<Path> path;

    /**
     * Creates the factory; called by the driver, by reflection.
     *
     * @param path the driver's property {@code socketFactoryArg}: path of a Unix-domain socket; null for TCP
     */
    public MeteredSockets(@Nullable String path) {
        this.path = Optional.ofNullable(path).map(Path::of);
    }

    @Override
    public Socket createSocket() throws IOException {
        return new Metered(path);
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
    private static final class Metered extends EngineSocket {
        Metered(Optional<Path> path) throws IOException {
            super(path);
        }

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
