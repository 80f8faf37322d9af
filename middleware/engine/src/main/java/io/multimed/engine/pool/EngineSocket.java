// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an engine over TCP or, if the engine runs on this machine, over a Unix-domain socket. Subclasses
 * observe the streams. With a Unix-domain socket, the address that the engine's driver connects to is ignored, as are
 * the options of TCP.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // both kinds of sockets are thread-safe
public class EngineSocket extends Socket {
    private final Socket socket;

    /** Null for TCP. */
    private final @Nullable Path path;

    /**
     * Creates a socket that is not connected.
     *
     * @param path path of the engine's Unix-domain socket; empty for TCP
     */
    public EngineSocket(Optional<Path> path) throws IOException {
        this.path = path.orElse(null);
        this.socket = path.isPresent() ? new UnixSocket() : new Socket();
    }

    @Override
    public void connect(SocketAddress address) throws IOException {
        connect(address, 0);
    }

    @Override
    public void connect(SocketAddress address, int timeout) throws IOException {
        if (path == null) {
            socket.connect(address, timeout);
            return;
        }
        try {
            socket.connect(UnixDomainSocketAddress.of(path), timeout);
        } catch (SocketException e) {
            socket.close();
            // The drivers report this class as they report a port without a listener.
            ConnectException refused = new ConnectException("%s: %s".formatted(path, e.getMessage()));
            refused.initCause(e);
            throw refused;
        }
    }

    @Override
    public void bind(SocketAddress address) throws IOException {
        if (path == null) {
            socket.bind(address);
        }
    }

    @Override
    public InputStream getInputStream() throws IOException {
        return socket.getInputStream();
    }

    @Override
    public OutputStream getOutputStream() throws IOException {
        return socket.getOutputStream();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        socket.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    @Override
    public boolean isBound() {
        return socket.isBound();
    }

    @Override
    public boolean isConnected() {
        return socket.isConnected();
    }

    @Override
    public boolean isClosed() {
        return socket.isClosed();
    }

    @Override
    public boolean isInputShutdown() {
        return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return socket.isOutputShutdown();
    }

    @Override
    public @Nullable InetAddress getInetAddress() {
        return socket.getInetAddress();
    }

    @Override
    public InetAddress getLocalAddress() {
        return socket.getLocalAddress();
    }

    @Override
    public int getPort() {
        return socket.getPort();
    }

    @Override
    public int getLocalPort() {
        return socket.getLocalPort();
    }

    @Override
    public @Nullable SocketAddress getRemoteSocketAddress() {
        return socket.getRemoteSocketAddress();
    }

    @Override
    public @Nullable SocketAddress getLocalSocketAddress() {
        return socket.getLocalSocketAddress();
    }

    /** Returns null: the streams are the only way to read and write. */
    @Override
    public @Nullable SocketChannel getChannel() {
        return null;
    }

    @Override
    public void setSoTimeout(int timeout) throws SocketException {
        socket.setSoTimeout(timeout);
    }

    @Override
    public int getSoTimeout() throws SocketException {
        return socket.getSoTimeout();
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        socket.setSendBufferSize(size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return socket.getSendBufferSize();
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        socket.setReceiveBufferSize(size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return socket.getReceiveBufferSize();
    }

    @Override
    public void setTcpNoDelay(boolean on) throws SocketException {
        if (path == null) {
            socket.setTcpNoDelay(on);
        }
    }

    @Override
    public boolean getTcpNoDelay() throws SocketException {
        return path != null || socket.getTcpNoDelay();
    }

    @Override
    public void setKeepAlive(boolean on) throws SocketException {
        if (path == null) {
            socket.setKeepAlive(on);
        }
    }

    @Override
    public boolean getKeepAlive() throws SocketException {
        return path == null && socket.getKeepAlive();
    }

    @Override
    public void setTrafficClass(int trafficClass) throws SocketException {
        if (path == null) {
            socket.setTrafficClass(trafficClass);
        }
    }

    @Override
    public void setSoLinger(boolean on, int seconds) throws SocketException {
        if (path == null) {
            socket.setSoLinger(on, seconds);
        }
    }

    @Override
    public String toString() {
        return path == null ? socket.toString() : "Socket[" + path + ']';
    }
}
