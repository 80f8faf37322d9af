// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Forwards and counts each frame between clients and the middleware. From a given time on, the proxy can drop the
 * frames, like a network that loses packets.
 */
public final class CountingProxy implements AutoCloseable {
    private final ServerSocket acceptor = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final AtomicInteger frames = new AtomicInteger();
    private final String url;
    private final int target;
    private volatile boolean silent;

    public CountingProxy(TestCluster cluster) throws IOException {
        url = cluster.url().replaceFirst(":[0-9]+/", ":" + acceptor.getLocalPort() + "/");
        target = URI.create(cluster.url().substring("jdbc:".length())).getPort();
        daemon(() -> {
            while (true) {
                Socket client = acceptor.accept();
                daemon(() -> serve(client));
            }
        });
    }

    private void serve(Socket client) throws IOException {
        try (client;
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            daemon(() -> server.getInputStream().transferTo(client.getOutputStream()));
            forward(new DataInputStream(client.getInputStream()), server.getOutputStream());
        }
    }

    private void forward(DataInputStream in, OutputStream out) throws IOException {
        while (true) {
            int length = in.readInt();
            byte[] frame = new byte[Integer.BYTES + length];
            ByteBuffer.wrap(frame).putInt(length);
            in.readFully(frame, Integer.BYTES, length);
            frames.incrementAndGet();
            if (!silent) {
                out.write(frame);
            }
        }
    }

    private interface Step {
        void run() throws IOException;
    }

    private static void daemon(Step step) {
        Thread thread = new Thread(() -> {
            try {
                step.run();
            } catch (IOException e) {
                return; // the client or the middleware has closed the connection
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url, "tester", "");
    }

    public int frames() {
        return frames.get();
    }

    public void silence() {
        silent = true;
    }

    @Override
    public void close() throws IOException {
        acceptor.close();
    }
}
