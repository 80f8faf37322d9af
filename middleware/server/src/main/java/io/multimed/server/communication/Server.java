// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.listen.Limits;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.communication.tls.TlsGate;
import io.multimed.server.communication.transport.DirectWriteProcessor;
import io.multimed.server.communication.transport.MinaTransport;
import io.multimed.server.communication.transport.TransportLimits;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.NamedThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SSLException;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.filterchain.IoFilterAdapter;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.service.SimpleIoProcessorPool;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.transport.socket.SocketSessionConfig;
import org.apache.mina.transport.socket.nio.NioSession;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asynchronous server (paper §3.3.4). A few I/O threads serve all clients, with TCP_NODELAY (§3.4): they read
 * frames and write responses, and never block. Requests are executed by the Dispatcher on the threads of the nodes.
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final NioSocketAcceptor acceptor;

    /** The I/O threads and their selectors. The acceptor does not dispose of processors that it has not created. */
    private final SimpleIoProcessorPool<NioSession> processors;

    private final SessionRegistry sessions;
    private volatile int maxFrame;

    /**
     * Creates the server; {@link #start} opens its port.
     *
     * @param memory budget for the requests of all clients
     * @param criticalThreads monitors the I/O threads: if one of them died, its clients would never be served again
     */
    public Server(
            Dispatcher dispatcher,
            Users users,
            ServerIdentity identity,
            PortOptions options,
            MemoryBudget memory,
            CriticalThreads criticalThreads) {
        Executor ioThreads = criticalThreads.executor("io");
        maxFrame = options.maxFrame();
        sessions = new SessionRegistry(dispatcher, users, identity, options, memory);
        processors = new SimpleIoProcessorPool<>(
                DirectWriteProcessor.class,
                ioThreads,
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                null);
        acceptor = new NioSocketAcceptor(ioThreads, processors);
        acceptor.setReuseAddress(true);
        acceptor.setBacklog(1_024);
        SocketSessionConfig config = acceptor.getSessionConfig();
        config.setTcpNoDelay(true);
        config.setKeepAlive(true);
        acceptor.getFilterChain().addLast("first", new FirstFilter());
        ServerTls tls = options.tls();
        if (tls != null) {
            acceptor.getFilterChain().addLast("gate", new TlsGate(tls, sessions.readers()));
        }
        acceptor.setHandler(new Handler());
    }

    /**
     * Binds the address and starts to accept connections.
     *
     * @param address address to listen on; port 0 selects a free port
     * @throws IOException if the port is in use, or the address does not belong to this machine
     */
    public void start(InetSocketAddress address) throws IOException {
        try {
            acceptor.bind(address);
        } catch (IOException e) {
            throw ReservedAddress.taken(address, e);
        }
        sessions.start();
    }

    /** Returns the address on which the started server listens. */
    public InetSocketAddress address() {
        return acceptor.getLocalAddress();
    }

    /** Changes the limits of clients. The sizes of frames and of queues apply to new connections. */
    public void setLimits(int maxClients, int largestFrame, Limits limits, IdleTimeouts idleTimeouts) {
        maxFrame = largestFrame;
        sessions.setLimits(maxClients, largestFrame, limits, idleTimeouts);
    }

    /**
     * Stops to accept connections, disconnects clients without an open transaction (57P01), and waits for the others.
     * Clients whose transaction is still open after the wait are disconnected, too, and their transactions are rolled
     * back. Returns when no client is connected any more, or shortly after the wait.
     */
    public void drain(Duration wait) throws InterruptedException {
        acceptor.setCloseOnDeactivation(false); // unbind() would otherwise close all connections
        acceptor.unbind();
        sessions.drain(wait.toNanos());
    }

    /** Returns the number of clients that have logged in and are connected. */
    public int clients() {
        return sessions.count();
    }

    /**
     * Returns clients that have logged in: first those in a transaction, then those that keep a connection.
     *
     * @param most maximum number
     */
    public List<ConnectedClient> clients(int most) {
        return sessions.clients(most);
    }

    /**
     * Returns the number of entries kept for clients, in collections that hold one or two per client: it must not grow
     * with disconnected clients.
     */
    public int remembered() {
        return sessions.remembered();
    }

    @Override
    public void close() {
        acceptor.unbind();
        acceptor.getManagedSessions().values().forEach(IoSession::closeNow);
        acceptor.dispose(false);
        // On a thread of its own: disposal waits for the I/O threads without a limit, and one of them may have died.
        new NamedThreads("io-stop").newThread(processors::dispose).start();
        sessions.close();
    }

    /** Tells the transport that the client speaks, before the bytes are decrypted. */
    private static final class FirstFilter extends IoFilterAdapter {
        @Override
        public void messageReceived(NextFilter next, IoSession io, Object message) {
            MinaTransport transport = MinaTransport.of(io);
            if (transport != null) {
                transport.speaks();
            }
            next.messageReceived(io, message);
        }
    }

    private final class Handler extends IoHandlerAdapter {
        @Override
        public void sessionOpened(IoSession io) {
            TransportLimits limits = sessions.transportLimits(maxFrame);
            ClientSession session = sessions.connected(receiver -> new MinaTransport(io, receiver, limits));
            // The TLS filter does not pass sessionClosed on if its own part of the end fails.
            io.getCloseFuture().addListener(closed -> sessions.disconnected(session));
        }

        @Override
        public void messageReceived(IoSession io, Object message) {
            MinaTransport transport = MinaTransport.of(io);
            if (transport != null) {
                transport.received(((IoBuffer) message).buf());
            }
        }

        @Override
        public void messageSent(IoSession io, Object message) {
            MinaTransport transport = MinaTransport.of(io);
            if (transport != null && message instanceof IoBuffer bytes) {
                transport.sent(bytes.limit());
            }
        }

        @Override
        public void exceptionCaught(IoSession io, Throwable cause) {
            if (cause instanceof SSLException) {
                LOG.warn("{}: TLS failed: {}", io.getRemoteAddress(), cause.getMessage());
            } else {
                LOG.debug("{}: connection failed", io.getRemoteAddress(), cause);
            }
            io.closeNow();
        }
    }
}
