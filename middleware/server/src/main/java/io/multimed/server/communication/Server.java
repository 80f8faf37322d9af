// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.model.listen.Limits;
import io.multimed.server.dispatcher.Dispatcher;
import io.multimed.server.node.CriticalThreads;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The asynchronous server (paper §3.3.4): its port, if there is one, and the sessions of its clients. Requests are
 * executed by the Dispatcher on the threads of the nodes, those of clients within this process on their own threads.
 */
public final class Server implements AutoCloseable {
    private final SessionRegistry sessions;

    /** Null if all clients are parts of this process. */
    private final @Nullable MinaPort port;

    /**
     * Creates the server; {@link #start} opens its port.
     *
     * @param memory budget for the requests of all clients
     * @param listens whether the server has a port
     * @param criticalThreads monitors the I/O threads
     */
    public Server(
            Dispatcher dispatcher,
            Users users,
            ServerIdentity identity,
            PortOptions options,
            MemoryBudget memory,
            boolean listens,
            CriticalThreads criticalThreads) {
        sessions = new SessionRegistry(dispatcher, users, identity, options, memory);
        port = listens ? new MinaPort(sessions, options.tls(), options.maxFrame(), criticalThreads) : null;
    }

    /**
     * Binds the address, if there is a port, and starts to accept clients.
     *
     * @param address address to listen on; port 0 selects a free port
     * @throws IOException if the port is in use, or the address does not belong to this machine
     */
    public void start(InetSocketAddress address) throws IOException {
        if (port != null) {
            port.bind(address);
        }
        sessions.start();
    }

    /** Returns the address on which the started server listens; null if it has no port. */
    public @Nullable InetSocketAddress address() {
        return port == null ? null : port.address();
    }

    /** Returns a new client within this process, which has not logged in. */
    public EmbeddedClient connect() {
        return new EmbeddedClient(sessions);
    }

    /** Changes the limits of clients. The sizes of frames and of queues apply to new connections. */
    public void setLimits(int maxClients, int largestFrame, Limits limits, IdleTimeouts idleTimeouts) {
        if (port != null) {
            port.setMaxFrame(largestFrame);
        }
        sessions.setLimits(maxClients, largestFrame, limits, idleTimeouts);
    }

    /**
     * Stops to accept connections, disconnects clients without an open transaction (57P01), and waits for the others.
     * Clients whose transaction is still open after the wait are disconnected, too, and their transactions are rolled
     * back. Returns when no client is connected any more, or shortly after the wait.
     */
    public void drain(Duration wait) throws InterruptedException {
        if (port != null) {
            port.stopAccepting();
        }
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
        if (port != null) {
            port.close();
        }
        sessions.close();
    }
}
