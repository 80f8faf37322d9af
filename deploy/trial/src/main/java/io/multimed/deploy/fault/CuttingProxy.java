// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.fault;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP proxy on loopback that breaks connections, at a given byte or at a given moment, or discards their data. Uses
 * two threads for each connection.
 */
public final class CuttingProxy implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuttingProxy.class);
    private static final int BUFFER = 8 << 10;

    private final InetSocketAddress target;
    private final ServerSocket acceptor;
    private final Set<Link> links = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Cut> armed = new AtomicReference<>();
    private volatile boolean refusing;
    private volatile boolean dropping;

    /** Direction of bytes. */
    public enum Direction {
        TO_SERVER,
        TO_CLIENT
    }

    /** A pending cut. Used by the threads of all connections. */
    private static final class Cut {
        final Direction direction;
        long left;

        Cut(Direction direction, long left) {
            this.direction = direction;
            this.left = left;
        }

        /** Returns how many of the next {@code length} bytes may pass. */
        synchronized int take(int length) {
            int passed = (int) Math.min(length, left);
            left -= passed;
            return passed;
        }

        synchronized boolean isReached() {
            return left == 0;
        }
    }

    private CuttingProxy(InetSocketAddress target) throws IOException {
        this.target = target;
        this.acceptor = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    /**
     * Opens a proxy on a free port of loopback.
     *
     * @param target the server behind the proxy
     */
    public static CuttingProxy before(InetSocketAddress target) throws IOException {
        CuttingProxy proxy = new CuttingProxy(target);
        proxy.daemon("proxy", proxy::accept);
        return proxy;
    }

    public int port() {
        return acceptor.getLocalPort();
    }

    /**
     * Cuts one connection as soon as this number of further bytes has passed in a direction, counted over all
     * connections; with 0, instead of the next byte.
     */
    public void cutAfter(Direction direction, long bytes) {
        armed.set(new Cut(direction, bytes));
    }

    /** Returns whether the cut of {@link #cutAfter} is still pending. */
    public boolean isArmed() {
        return armed.get() != null;
    }

    /** Cancels the cut of {@link #cutAfter}. */
    public void disarm() {
        armed.set(null);
    }

    /** Cuts all connections immediately. */
    public void cutAll() {
        links.forEach(Link::cut);
    }

    /** Sets whether new connections are closed immediately. Existing connections are not affected. */
    public void refuse(boolean refuse) {
        refusing = refuse;
    }

    /**
     * Sets whether all data is discarded, as by a firewall that drops packets. A connection that has lost data never
     * transfers data again, and neither side learns that the other has closed the connection.
     */
    public void drop(boolean drop) {
        dropping = drop;
    }

    private void accept() {
        while (!acceptor.isClosed()) {
            try {
                Socket client = acceptor.accept();
                if (refusing) {
                    client.close();
                } else {
                    connect(client);
                }
            } catch (IOException e) {
                LOG.debug("no connection through the proxy", e);
            }
        }
    }

    /** Connects to the server and forwards both directions. Nagle's algorithm is off, as in the driver. */
    private void connect(Socket client) throws IOException {
        Socket server = new Socket();
        Link link = new Link(client, server);
        try {
            server.connect(target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
        } catch (IOException e) {
            link.cut();
            throw e;
        }
        links.add(link);
        daemon("proxy-to-server", () -> link.pump(client, server, Direction.TO_SERVER));
        daemon("proxy-to-client", () -> link.pump(server, client, Direction.TO_CLIENT));
    }

    private void daemon(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
        cutAll();
    }

    /** A client's connection and the corresponding connection to the server. */
    private final class Link {
        private final Socket client;
        private final Socket server;
        private volatile boolean lost;

        Link(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        /**
         * Forwards one direction until its end. Then closes both sockets, or, while data is discarded, this side only.
         */
        void pump(Socket from, Socket to, Direction direction) {
            byte[] buffer = new byte[BUFFER];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                    if (pass(buffer, length, out, direction)) {
                        break;
                    }
                }
            } catch (IOException e) {
                LOG.debug("a connection through the proxy ended", e);
            } finally {
                if (isLost()) {
                    closeQuietly(from);
                } else {
                    cut();
                }
            }
        }

        private boolean isLost() {
            lost |= dropping;
            return lost;
        }

        /** Forwards a buffer, and returns whether the connection must be cut. */
        private boolean pass(byte[] buffer, int length, OutputStream out, Direction direction) throws IOException {
            if (isLost()) {
                return false;
            }
            Cut cut = armed.get();
            if (cut == null || cut.direction != direction) {
                out.write(buffer, 0, length);
                return false;
            }
            int passed = cut.take(length);
            out.write(buffer, 0, passed);
            // Another connection may have reached the cut at the same moment. A connection that lost bytes must be cut,
            // too.
            boolean done = cut.isReached() && armed.compareAndSet(cut, null);
            return done || passed < length;
        }

        void cut() {
            links.remove(this);
            closeQuietly(client);
            closeQuietly(server);
        }

        private void closeQuietly(Socket socket) {
            try {
                socket.close();
            } catch (IOException e) {
                LOG.debug("was closed already", e);
            }
        }
    }
}
