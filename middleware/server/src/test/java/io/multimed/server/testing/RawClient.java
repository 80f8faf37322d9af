// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.testing;

import io.multimed.protocol.Frame;
import io.multimed.protocol.request.Execute;
import io.multimed.protocol.request.Hello;
import io.multimed.protocol.statement.ExecuteOptions;
import io.multimed.protocol.statement.StatementText;
import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A client that can send any sequence of messages and bytes. */
public final class RawClient implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;
    private int sequence;

    public RawClient(InetSocketAddress middleware) throws IOException {
        this(middleware, null);
    }

    /** @param from the client's own address; null for the usual one */
    public RawClient(InetSocketAddress middleware, @Nullable InetAddress from) throws IOException {
        this(connected(middleware, from));
    }

    /** @param socket a connection to the middleware, which this client closes */
    public RawClient(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new DataInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    private static Socket connected(InetSocketAddress middleware, @Nullable InetAddress from) throws IOException {
        Socket socket = new Socket();
        socket.bind(from == null ? null : new InetSocketAddress(from, 0));
        socket.connect(middleware, PATIENCE_MILLIS);
        return socket;
    }

    /** Returns a client that has logged in. */
    public static RawClient open(InetSocketAddress middleware) throws IOException {
        RawClient client = new RawClient(middleware);
        client.ask(hello());
        return client;
    }

    public static Hello hello() {
        return new Hello(Protocol.VERSION, "shop", "tester", "raw", new byte[18], "");
    }

    public static Execute execute(String sql, boolean autoCommit) {
        return new Execute(
                new TransactionMode(autoCommit, false, 0),
                new StatementText(StatementText.NO_SLOT, false, sql),
                List.of(),
                ExecuteOptions.DEFAULT);
    }

    public void send(Message message) throws IOException {
        send(Frame.encode(++sequence, message, new WireWriter()));
    }

    public void send(byte[] bytes) throws IOException {
        out.write(bytes);
        out.flush();
    }

    /** Returns the answer to a message. */
    public Message ask(Message message) throws IOException {
        send(message);
        return read();
    }

    /** Returns the next message, after the greeting that a silent client receives. */
    public Message read() throws IOException {
        int length = in.readInt();
        int greeting = Protocol.greetingLength(length);
        if (greeting > 0) {
            in.skipNBytes(greeting);
            length = in.readInt();
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return Frame.decode(bytes).message();
    }

    /** Returns true if the middleware closes the connection within the timeout, after any messages. */
    public boolean isHungUp() throws IOException {
        try {
            while (in.read() >= 0) {
                Thread.onSpinWait();
            }
            return true;
        } catch (java.net.SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            return true; // connection reset
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
