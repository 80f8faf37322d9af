// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A network in the form of a TCP forwarder, as two ends of a connection would experience the network. A lost packet is
 * a pause, because TCP repeats the packet after 200 ms or more, and everything behind it waits. During a partition
 * nothing is accepted and nothing is forwarded. An end that closes its connection meanwhile is not heard of by the
 * other end, also not after the partition. Uses four threads for each connection.
 */
final class ForwardingNetwork implements Network {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardingNetwork.class);
    private static final int DELAY_MILLIS = 5;
    private static final double LOSS = 0.01;

    private final InetSocketAddress target;
    private final ServerSocket acceptor;
    private final Set<ForwardedConnection> connections = ConcurrentHashMap.newKeySet();

    /** Protects {@link #separated}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition healed = lock.newCondition();
    private volatile boolean separated;
    private volatile boolean disturbed;

    private ForwardingNetwork(InetSocketAddress target, InetAddress own) throws IOException {
        this.target = target;
        this.acceptor = new ServerSocket(0, 50, own);
    }

    /**
     * Opens a network before a server.
     *
     * @param own address at which the server can be reached from now on, on a free port
     */
    static ForwardingNetwork before(InetSocketAddress target, InetAddress own) throws IOException {
        ForwardingNetwork network = new ForwardingNetwork(target, own);
        ForwardedConnection.daemon("accepts", network::accept);
        return network;
    }

    InetAddress address() {
        return acceptor.getInetAddress();
    }

    int port() {
        return acceptor.getLocalPort();
    }

    @Override
    public void disturb() {
        disturbed = true;
    }

    @Override
    public void partition() {
        separated = true;
    }

    @Override
    public void heal() {
        lock.lock();
        try {
            separated = false;
            healed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void reset() {
        connections.forEach(connection -> connection.close(true));
    }

    boolean isSeparated() {
        return separated;
    }

    /** Returns the delay of what enters the network now. */
    long delayNanos() {
        return disturbed ? TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS) : 0;
    }

    /** Returns how likely it is that a piece of data is lost and sent again. */
    double loss() {
        return disturbed ? LOSS : 0;
    }

    /** Waits while the network is separated. */
    void awaitConnected() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (separated) {
                healed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    private void accept() throws InterruptedException {
        while (!acceptor.isClosed()) {
            try {
                Socket client = acceptor.accept();
                awaitConnected();
                connect(client);
            } catch (IOException e) {
                LOG.debug("no connection through the network", e);
            }
        }
    }

    private void connect(Socket client) throws IOException {
        Socket server = new Socket();
        ForwardedConnection connection = new ForwardedConnection(this, client, server, connections::remove);
        try {
            server.connect(target);
        } catch (IOException e) {
            connection.close(true);
            throw e;
        }
        connections.add(connection);
        connection.start();
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
        heal();
        reset();
    }
}
