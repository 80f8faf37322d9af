// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.communication.tls.TlsGate;
import io.multimed.server.communication.transport.DirectWriteProcessor;
import io.multimed.server.communication.transport.MinaTransport;
import io.multimed.server.communication.transport.TransportLimits;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.NamedThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The port of the server for clients of other processes. A few I/O threads serve all clients, with TCP_NODELAY (§3.4):
 * they read frames and write responses, and never block.
 */
final class MinaPort implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MinaPort.class);

    private final NioSocketAcceptor acceptor;

    /** The I/O threads and their selectors. The acceptor does not dispose of processors that it has not created. */
    private final SimpleIoProcessorPool<NioSession> processors;

    private final SessionRegistry sessions;
    private volatile int maxFrame;

    /** @param criticalThreads monitors the I/O threads: if one of them died, its clients would never be served again */
    MinaPort(SessionRegistry sessions, @Nullable ServerTls tls, int maxFrame, CriticalThreads criticalThreads) {
        this.sessions = sessions;
        this.maxFrame = maxFrame;
        Executor ioThreads = criticalThreads.executor("io");
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
        if (tls != null) {
            acceptor.getFilterChain().addLast("gate", new TlsGate(tls, sessions.readers()));
        }
        acceptor.setHandler(new Handler());
    }

    void bind(InetSocketAddress address) throws IOException {
        try {
            acceptor.bind(address);
        } catch (IOException e) {
            throw ReservedAddress.taken(address, e);
        }
    }

    InetSocketAddress address() {
        return acceptor.getLocalAddress();
    }

    /** Changes the maximum size of a request, in bytes, of new connections. */
    void setMaxFrame(int bytes) {
        maxFrame = bytes;
    }

    /** Accepts no more connections; those that exist remain. */
    void stopAccepting() {
        acceptor.setCloseOnDeactivation(false); // unbind() would otherwise close all connections
        acceptor.unbind();
    }

    @Override
    public void close() {
        acceptor.unbind();
        acceptor.getManagedSessions().values().forEach(IoSession::closeNow);
        acceptor.dispose(false);
        // On a thread of its own: disposal waits for the I/O threads without a limit, and one of them may have died.
        new NamedThreads("io-stop").newThread(processors::dispose).start();
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
