// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.pool;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketOption;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Unix-domain socket as a {@link Socket}, which the JDK offers as a channel only. One thread reads and one thread
 * writes at a time; {@link #close} may be called by any thread, and ends their waits.
 *
 * <p>The channel does not block; a thread that has to wait does so in a selector. The kernel wakes a thread that blocks
 * in a read also when the peer has read: each request to an engine would wake its sender twice. Moreover, an interrupt
 * closes a channel that blocks, but not a socket; here an interrupt remains pending, as with a socket.
 */
@SuppressWarnings("UnsynchronizedOverridesSynchronized") // fields are volatile, and the channel is thread-safe
final class UnixSocket extends Socket {
    /** Maximum size of a piece: the JDK keeps a buffer of the size of the largest piece for each thread. */
    private static final int MAX_PIECE = 64 << 10;

    private final SocketChannel channel;
    private final Selector readable;

    /** Opened at the first write that has to wait; most connections never need it. */
    private volatile @Nullable Selector writable;

    private final InputStream in = new Input();
    private final OutputStream out = new Output();

    /** Limit for a read in milliseconds; 0 for no limit. */
    private volatile int timeoutMillis;

    private volatile boolean closed;

    UnixSocket() throws IOException {
        this.channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        this.readable = Selector.open();
        channel.configureBlocking(false);
    }

    /**
     * Connects at once or fails: a connection waits for its server only if the server's queue is full, and then it is
     * refused.
     *
     * @param address the path of a server's socket
     */
    @Override
    public void connect(SocketAddress address, int timeout) throws IOException {
        if (!channel.connect(address)) {
            throw new SocketException("the server accepts no connection");
        }
        channel.register(readable, SelectionKey.OP_READ);
    }

    /** Waits until the selector's event occurs, for at most the remaining time; without a limit if it is 0. */
    private void await(Selector event, long millis) throws IOException {
        boolean interrupted = Thread.interrupted(); // otherwise the selector would not wait
        try {
            event.select(millis);
            event.selectedKeys().clear();
        } catch (ClosedSelectorException e) {
            throw closed(e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static SocketException closed(Exception cause) {
        SocketException failure = new SocketException("Socket closed");
        failure.initCause(cause);
        return failure;
    }

    private final class Input extends InputStream {
        @Override
        public int read() throws IOException {
            byte[] single = new byte[1];
            return read(single, 0, 1) < 0 ? -1 : single[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            ByteBuffer target = ByteBuffer.wrap(bytes, offset, Math.min(length, MAX_PIECE));
            int limit = timeoutMillis;
            long deadline = 0;
            while (true) {
                int count = receive(target);
                if (count != 0 || length == 0) {
                    return count;
                }
                long now = System.nanoTime();
                deadline = deadline == 0 ? now + TimeUnit.MILLISECONDS.toNanos(limit) : deadline;
                if (limit > 0 && now - deadline >= 0) {
                    throw new SocketTimeoutException("Read timed out");
                }
                await(readable, limit == 0 ? 0 : 1 + TimeUnit.NANOSECONDS.toMillis(deadline - now));
            }
        }

        private int receive(ByteBuffer target) throws IOException {
            try {
                return channel.read(target);
            } catch (ClosedChannelException e) {
                throw closed(e);
            }
        }
    }

    private final class Output extends OutputStream {
        @Override
        public void write(int single) throws IOException {
            write(new byte[] {(byte) single}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            int end = offset + length;
            for (int next = offset; next < end; ) {
                int sent = send(ByteBuffer.wrap(bytes, next, Math.min(end - next, MAX_PIECE)));
                next += sent;
                if (sent == 0) {
                    await(writable(), 0);
                }
            }
        }

        private Selector writable() throws IOException {
            Selector present = writable;
            if (present == null) {
                present = Selector.open();
                writable = present;
                if (closed) {
                    present.close(); // close() may have missed it
                    throw new SocketException("Socket closed");
                }
                channel.register(present, SelectionKey.OP_WRITE);
            }
            return present;
        }

        private int send(ByteBuffer source) throws IOException {
            try {
                return channel.write(source);
            } catch (ClosedChannelException e) {
                throw closed(e);
            }
        }
    }

    @Override
    public InputStream getInputStream() {
        return in;
    }

    @Override
    public OutputStream getOutputStream() {
        return out;
    }

    /** Closes the selectors first, which ends waits. */
    @Override
    public void close() throws IOException {
        closed = true;
        readable.close();
        Selector writing = writable;
        if (writing != null) {
            writing.close();
        }
        channel.close();
    }

    @Override
    public void shutdownInput() throws IOException {
        channel.shutdownInput();
    }

    @Override
    public void shutdownOutput() throws IOException {
        channel.shutdownOutput();
    }

    @Override
    public boolean isConnected() {
        return channel.isConnected();
    }

    @Override
    public boolean isBound() {
        return channel.isConnected();
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    @Override
    public void setSoTimeout(int millis) {
        timeoutMillis = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeoutMillis;
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        setOption(StandardSocketOptions.SO_SNDBUF, size);
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        return option(StandardSocketOptions.SO_SNDBUF);
    }

    @Override
    public void setReceiveBufferSize(int size) throws SocketException {
        setOption(StandardSocketOptions.SO_RCVBUF, size);
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return option(StandardSocketOptions.SO_RCVBUF);
    }

    private void setOption(SocketOption<Integer> option, int value) throws SocketException {
        try {
            channel.setOption(option, value);
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private int option(SocketOption<Integer> option) throws SocketException {
        try {
            return Objects.requireNonNull(channel.getOption(option));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static SocketException failed(IOException cause) {
        SocketException failure = new SocketException(cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    @Override
    public String toString() {
        return channel.toString();
    }
}
