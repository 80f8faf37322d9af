// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.socket;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/** Answers each request on one thread, with a selector, as an I/O thread of the middleware does. */
final class ReplyServer implements Runnable {
    private final ServerSocketChannel listening;
    private final Selector selector = Selector.open();
    private final ByteBuffer response = ByteBuffer.allocateDirect(Connection.RESPONSE);

    ReplyServer(ServerSocketChannel listening) throws IOException {
        this.listening = listening;
        listening.configureBlocking(false);
        listening.register(selector, SelectionKey.OP_ACCEPT);
    }

    /**
     * Runs a server in a process of its own until the standard input ends, that is, until the process of the benchmark
     * has ended. Prints the address.
     *
     * @param arguments the transport, and the folder for the file of a Unix-domain socket
     */
    public static void main(String[] arguments) throws IOException {
        ServerSocketChannel listening = Transport.valueOf(arguments[0]).listen(Path.of(arguments[1]));
        Thread thread = new Thread(new ReplyServer(listening), "server");
        thread.setDaemon(true);
        thread.start();
        System.out.println(Transport.print(listening.getLocalAddress()));
        while (System.in.read() >= 0) {
            // the benchmark writes nothing
        }
    }

    /** Serves clients until {@link #close}. */
    @Override
    public void run() {
        try (selector) {
            while (listening.isOpen()) {
                selector.select(this::serve);
            }
        } catch (IOException e) {
            throw new IllegalStateException("the server of the benchmark has failed", e);
        }
    }

    /** Ends {@link #run}. */
    void close() throws IOException {
        listening.close();
        selector.wakeup();
    }

    private void serve(SelectionKey key) {
        try {
            if (key.isAcceptable()) {
                accept();
            } else {
                reply((SocketChannel) key.channel(), (ByteBuffer) key.attachment());
            }
        } catch (IOException e) {
            key.cancel(); // the client has gone
        }
    }

    private void accept() throws IOException {
        SocketChannel client = listening.accept();
        if (client != null) {
            client.configureBlocking(false);
            if (client.getRemoteAddress() instanceof InetSocketAddress) {
                client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            }
            client.register(selector, SelectionKey.OP_READ, ByteBuffer.allocateDirect(Connection.REQUEST));
        }
    }

    private void reply(SocketChannel client, ByteBuffer request) throws IOException {
        if (client.read(request) < 0) {
            client.close();
        } else if (!request.hasRemaining()) {
            request.clear();
            response.clear();
            while (response.hasRemaining()) {
                client.write(response);
            }
        }
    }
}
