package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.ErrorReport;
import io.multimed.protocol.Frame;
import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.WireWriter;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.node.CriticalThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.service.IoHandlerAdapter;
import org.apache.mina.core.service.SimpleIoProcessorPool;
import org.apache.mina.core.session.AttributeKey;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.transport.socket.SocketSessionConfig;
import org.apache.mina.transport.socket.nio.NioSocketAcceptor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The asynchronous server (paper §3.3.4): a few I/O threads for all clients, TCP_NODELAY (§3.4), frames in, frames out. Nothing here blocks: requests go on in the
 * Dispatcher, answers come back from the nodes' threads.
 */
public final class Server implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Server.class);
    private static final AttributeKey SESSION = new AttributeKey(Server.class, "session");

    private final NioSocketAcceptor acceptor;
    private final SessionRegistry sessions;
    private final int maxFrame;

    /**
     * Prepares the server; {@link #start} opens it.
     *
     * @param maxClients maximum number of clients; one more is refused with 53300
     * @param maxFrame maximum size of a request in bytes
     * @param memory for the requests of clients
     * @param criticalThreads watch the I/O threads: without one of them its clients would never be served again
     */
    public Server(
            Dispatcher dispatcher,
            Users users,
            ServerIdentity identity,
            int maxClients,
            int maxFrame,
            IdleTimeouts idleLimits,
            MemoryBudget memory,
            CriticalThreads criticalThreads) {
        Executor ioThreads = criticalThreads.executor("io");
        this.maxFrame = maxFrame;
        sessions = new SessionRegistry(dispatcher, users, identity, maxClients, idleLimits, memory);
        acceptor = new NioSocketAcceptor(
                ioThreads,
                new SimpleIoProcessorPool<>(
                        DirectWriteProcessor.class,
                        ioThreads,
                        Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                        null));
        acceptor.setReuseAddress(true);
        acceptor.setBacklog(1_024);
        SocketSessionConfig config = acceptor.getSessionConfig();
        config.setTcpNoDelay(true);
        config.setKeepAlive(true);
        acceptor.setHandler(new Handler());
    }

    /**
     * Begins to listen.
     *
     * @param address where; port 0 takes a free one
     * @return where it listens
     * @throws IOException if the port is taken, or the address is not this machine's
     */
    public InetSocketAddress start(InetSocketAddress address) throws IOException {
        try {
            acceptor.bind(address);
        } catch (IOException e) {
            throw ReservedAddress.taken(address, e);
        }
        sessions.start();
        return acceptor.getLocalAddress();
    }

    /** Clients that are connected now. */
    public int clients() {
        return sessions.count();
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
        acceptor.dispose(false);
        sessions.close();
    }

    private final class Handler extends IoHandlerAdapter {
        @Override
        public void sessionOpened(IoSession io) {
            if (sessions.areFull()) {
                SessionStatus none = new SessionStatus(false, false, SessionStatus.NO_NODE, 0);
                ErrorReport full = new ErrorReport(none, "53300", 0, SessionRegistry.FULL, "middleware");
                io.write(IoBuffer.wrap(Frame.encode(0, full, new WireWriter())));
                io.closeOnFlush();
            } else {
                io.setAttribute(SESSION, sessions.connected(io, maxFrame));
            }
        }

        @Override
        public void messageReceived(IoSession io, Object message) {
            ClientSession session = session(io);
            if (session != null) {
                session.inflow().received(((IoBuffer) message).buf());
            }
        }

        @Override
        public void messageSent(IoSession io, Object message) {
            ClientSession session = session(io);
            if (session != null && io.getScheduledWriteMessages() == 0) {
                session.outflow().written();
            }
        }

        @Override
        public void sessionClosed(IoSession io) {
            ClientSession session = session(io);
            if (session != null) {
                sessions.disconnected(session);
            }
        }

        @Override
        public void exceptionCaught(IoSession io, Throwable cause) {
            LOG.debug("{}: connection failed", io.getRemoteAddress(), cause);
            io.closeNow();
        }

        private @Nullable ClientSession session(IoSession io) {
            return (ClientSession) io.getAttribute(SESSION);
        }
    }
}
