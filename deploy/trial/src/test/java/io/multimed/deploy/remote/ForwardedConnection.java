// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.remote;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection through a {@link ForwardingNetwork}: each direction has a thread that reads and a thread that writes.
 */
final class ForwardedConnection {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardedConnection.class);
    private static final int BUFFER = 64 << 10;
    private static final byte[] END = {};
    private static final int PIECES = 64;
    private static final int MIN_RETRANSMISSION = 200;
    private static final int MAX_RETRANSMISSION = 600;

    private final ForwardingNetwork network;
    private final Socket client;
    private final Socket server;
    private final Consumer<ForwardedConnection> ended;

    /** One side has closed the connection during a partition. */
    private volatile boolean givenUp;

    /** Data on its way, and when it arrives; without bytes, the end of the data. */
    private record Piece(byte[] bytes, long due) {}

    /** Work of a thread of its own. */
    interface Work {
        void run() throws InterruptedException;
    }

    /** @param ended is called when the connection is closed on both sides */
    ForwardedConnection(ForwardingNetwork network, Socket client, Socket server, Consumer<ForwardedConnection> ended) {
        this.network = network;
        this.client = client;
        this.server = server;
        this.ended = ended;
    }

    void start() throws IOException {
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        forward(client, server);
        forward(server, client);
    }

    private void forward(Socket from, Socket to) {
        BlockingQueue<Piece> way = new ArrayBlockingQueue<>(PIECES);
        daemon("reads", () -> read(from, way));
        daemon("writes", () -> write(way, to));
    }

    static void daemon(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "network-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Reads until the end. An end during a partition is not passed on, and neither is what was sent before and has not
     * arrived: the other side never learns of it, as after a partition that outlasts TCP's attempts.
     */
    private void read(Socket from, BlockingQueue<Piece> way) throws InterruptedException {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                way.put(new Piece(Arrays.copyOf(buffer, length), System.nanoTime() + network.delayNanos()));
            }
        } catch (IOException e) {
            LOG.debug("a connection through the network has ended", e);
        }
        if (network.isSeparated()) {
            givenUp = true;
            close(from, false);
        } else {
            way.put(new Piece(END, System.nanoTime() + network.delayNanos()));
        }
    }

    /** Writes what arrives, in order. A side that has gone answers with a reset. */
    private void write(BlockingQueue<Piece> way, Socket to) throws InterruptedException {
        try {
            OutputStream out = to.getOutputStream();
            byte[] bytes = arrived(way, to);
            while (bytes.length > 0 && !givenUp) {
                out.write(bytes);
                bytes = arrived(way, to);
            }
            if (!givenUp) {
                close(false);
            }
        } catch (IOException e) {
            LOG.debug("a connection through the network has ended", e);
            if (!givenUp) {
                close(true);
            }
        }
    }

    /**
     * Returns the next bytes when they have arrived; none at the end. Only the last packet for now can be late: TCP
     * learns from the packets behind a lost one that it is lost, and repeats it at once.
     */
    private byte[] arrived(BlockingQueue<Piece> way, Socket to) throws InterruptedException {
        Piece piece = way.poll(1, TimeUnit.SECONDS);
        while (piece == null) {
            if (to.isClosed()) {
                return END;
            }
            piece = way.poll(1, TimeUnit.SECONDS);
        }
        TimeUnit.NANOSECONDS.sleep(piece.due - System.nanoTime());
        if (way.isEmpty() && ThreadLocalRandom.current().nextDouble() < network.loss()) {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextInt(MIN_RETRANSMISSION, MAX_RETRANSMISSION));
        }
        network.awaitConnected();
        return piece.bytes;
    }

    /**
     * Closes both sides.
     *
     * @param hard by a reset instead of an orderly end
     */
    void close(boolean hard) {
        close(client, hard);
        close(server, hard);
        ended.accept(this);
    }

    private static void close(Socket socket, boolean hard) {
        try {
            if (hard && !socket.isClosed()) {
                socket.setSoLinger(true, 0);
            }
            socket.close();
        } catch (IOException e) {
            LOG.debug("was closed already", e);
        }
    }
}
