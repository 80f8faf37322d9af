// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.tpcw.run.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Open connections, one for each client, divided among threads. A JDBC driver blocks the thread that waits for a reply;
 * a thread therefore has one client in flight, and its other clients are connected and idle, as most clients of an
 * application are. Several threads open and close the connections.
 */
final class OpenClients implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(OpenClients.class);

    /** Maximum time without a new connection before the attempt is given up. */
    private static final long PATIENCE_SECONDS = 30;

    private final Target target;
    private final List<List<Connection>> shares = new ArrayList<>();
    private final AtomicInteger connected = new AtomicInteger();
    private final AtomicBoolean stop = new AtomicBoolean();

    /** Whether connections are being closed, so that none may be added. */
    private volatile boolean closed;

    private final AtomicReference<@Nullable String> refusal = new AtomicReference<>();

    private OpenClients(Target target, int threads) {
        this.target = target;
        for (int i = 0; i < threads; i++) {
            shares.add(new ArrayList<>());
        }
    }

    /**
     * Connects all clients. The first refusal ends the attempt, and closes the connections.
     *
     * @param threads number of shares among which the clients are divided
     * @throws RefusedException if a client is refused, or connects too slowly
     */
    static OpenClients connect(Target target, int clients, int threads) throws RefusedException, InterruptedException {
        OpenClients open = new OpenClients(target, threads);
        try {
            open.connectAll(clients);
            return open;
        } catch (RefusedException | InterruptedException | RuntimeException e) {
            open.close();
            throw e;
        }
    }

    private void connectAll(int clients) throws RefusedException, InterruptedException {
        CountDownLatch ended = new CountDownLatch(shares.size());
        for (int i = 0; i < shares.size(); i++) {
            List<Connection> share = shares.get(i);
            int wanted = (clients - i + shares.size() - 1) / shares.size();
            daemon("hop-connect-" + i, () -> {
                try {
                    connectShare(share, wanted);
                } finally {
                    ended.countDown();
                }
            });
        }
        int before = -1;
        while (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            if (connected.get() == before) {
                refusal.compareAndSet(null, "no answer for %d s".formatted(PATIENCE_SECONDS));
                stop.set(true);
                break;
            }
            before = connected.get();
        }
        String why = refusal.get();
        if (why != null) {
            throw new RefusedException(
                    "%,d of %,d clients connected, then: %s".formatted(connected.get(), clients, why));
        }
    }

    /**
     * Connects the clients of one thread. Only this thread adds to the share; no connection is added after {@link
     * #close} has begun.
     */
    private void connectShare(List<Connection> share, int wanted) {
        try {
            for (int i = 0; i < wanted && !stop.get(); i++) {
                Connection connection = target.connect();
                if (!add(connection, share)) {
                    connection.close();
                }
            }
        } catch (SQLException e) {
            refusal.compareAndSet(null, Errors.text(e));
            stop.set(true);
        }
    }

    /** Returns whether the connection is part of the share now. */
    private boolean add(Connection connection, List<Connection> share) {
        synchronized (share) {
            if (closed) {
                return false;
            }
            share.add(connection);
        }
        connected.incrementAndGet();
        return true;
    }

    /** Returns the clients of each thread. */
    List<List<Connection>> shares() {
        return shares;
    }

    /** Ends connections whose threads wait for a reply; the threads then fail. */
    void abort() {
        for (List<Connection> share : shares) {
            synchronized (share) {
                for (Connection connection : share) {
                    try {
                        connection.abort(Runnable::run);
                    } catch (SQLException e) {
                        LOG.debug("not aborted", e);
                    }
                }
            }
        }
    }

    static Thread daemon(String name, Runnable work) {
        Thread thread = new Thread(null, work, name, 256 << 10);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Closes all connections. Gives up after some time: the end of the target's process ends connections, too. */
    @Override
    public void close() {
        closed = true;
        stop.set(true);
        CountDownLatch ended = new CountDownLatch(shares.size());
        for (List<Connection> share : shares) {
            daemon("hop-close", () -> {
                closeShare(share);
                ended.countDown();
            });
        }
        try {
            if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                LOG.debug("{}: connections were not closed in time", target);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void closeShare(List<Connection> share) {
        synchronized (share) {
            for (Connection connection : share) {
                try {
                    connection.close();
                } catch (SQLException e) {
                    LOG.debug("not closed", e);
                }
            }
        }
    }
}
