// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.port;

import io.multimed.protocol.Frame;
import io.multimed.protocol.Scram;
import io.multimed.protocol.fuzz.FrameMutator;
import io.multimed.protocol.request.Proof;
import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.ErrorReport;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.tls.ChannelBinding;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireWriter;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * One connection on which wrong input is sent. The seed determines the input, apart from the answers that the
 * middleware sends meanwhile.
 */
final class FuzzedConnection {
    /** The state of the connection to which the wrong input is sent. */
    enum Kind {
        PLAIN_BEFORE_LOGIN,
        PLAIN_AFTER_LOGIN,
        BROKEN_TLS_HANDSHAKE,
        TLS_BEFORE_LOGIN,
        TLS_AFTER_LOGIN
    }

    private static final List<byte[]> BEFORE_LOGIN = ValidFrames.beforeLogin();
    private static final List<byte[]> AFTER_LOGIN = ValidFrames.afterLogin();
    private static final int MAX_INPUTS = 24;

    /** Most answers are not awaited: the next input comes while the middleware is still busy. */
    private static final int GLANCE_MILLIS = 5;

    /** Wrong passwords come from an address of their own: they delay the logins from the same address. */
    private static final String GUESSING = "127.0.0.2";

    private static final int MAX_ANSWER = 64 << 20;
    private static final int PATIENCE_MILLIS = 60_000;

    private final InetSocketAddress address;
    private final SSLSocketFactory tls;
    private final byte[] clientHello;
    private final Random random;
    private final FrameMutator mutator;
    private final Kind kind;
    private int inputs;

    FuzzedConnection(InetSocketAddress address, SSLSocketFactory tls, byte[] clientHello, long seed) {
        this.address = address;
        this.tls = tls;
        this.clientHello = clientHello;
        this.random = new Random(seed);
        this.mutator = new FrameMutator(random);
        this.kind = randomKind();
    }

    /** Most connections do without TLS, whose handshake takes most of the time. */
    private Kind randomKind() {
        int percent = random.nextInt(100);
        if (percent < 35) {
            return Kind.PLAIN_BEFORE_LOGIN;
        } else if (percent < 80) {
            return Kind.PLAIN_AFTER_LOGIN;
        } else if (percent < 90) {
            return Kind.BROKEN_TLS_HANDSHAKE;
        }
        return percent < 94 ? Kind.TLS_BEFORE_LOGIN : Kind.TLS_AFTER_LOGIN;
    }

    /** Returns the number of inputs that were sent. */
    int inputs() {
        return inputs;
    }

    Kind kind() {
        return kind;
    }

    /**
     * Sends the input, and closes the connection unless the middleware does.
     *
     * @throws IOException if the login fails
     */
    void run() throws IOException {
        try (Socket plain = new Socket()) {
            if (kind == Kind.PLAIN_BEFORE_LOGIN || kind == Kind.TLS_BEFORE_LOGIN) {
                plain.bind(new InetSocketAddress(GUESSING, 0));
            }
            plain.connect(address, PATIENCE_MILLIS);
            plain.setTcpNoDelay(true);
            plain.setSoTimeout(PATIENCE_MILLIS);
            if (random.nextInt(4) == 0) {
                plain.setSoLinger(true, 0); // closes the connection by a reset
            }
            switch (kind) {
                case PLAIN_BEFORE_LOGIN -> send(plain, BEFORE_LOGIN);
                case PLAIN_AFTER_LOGIN -> {
                    logIn(plain, ChannelBinding.none());
                    send(plain, AFTER_LOGIN);
                }
                case BROKEN_TLS_HANDSHAKE -> sendHandshake(plain);
                case TLS_BEFORE_LOGIN -> send(encrypted(plain), BEFORE_LOGIN);
                case TLS_AFTER_LOGIN -> {
                    SSLSocket encrypted = encrypted(plain);
                    logIn(encrypted, ChannelBinding.of(encrypted.getSession().getPeerCertificates()[0]));
                    send(encrypted, AFTER_LOGIN);
                }
            }
        }
    }

    private SSLSocket encrypted(Socket plain) throws IOException {
        SSLSocket socket =
                (SSLSocket) tls.createSocket(plain, address.getHostString(), address.getPort(), random.nextBoolean());
        socket.startHandshake();
        return socket;
    }

    private static void logIn(Socket socket, byte[] binding) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        write(socket, 1, ValidFrames.hello(PortFuzzTest.USER));
        Challenge challenge = (Challenge) read(in);
        byte[] salted = Scram.salted(PortFuzzTest.PASSWORD.toCharArray(), challenge);
        byte[] proof = Scram.clientProof(salted, Scram.exchange(PortFuzzTest.USER, challenge, binding));
        write(socket, 2, new Proof(proof));
        Message answer = read(in);
        if (!(answer instanceof Welcome)) {
            throw new IOException("the login was answered by " + answer);
        }
    }

    private static void write(Socket socket, int sequence, Message message) throws IOException {
        socket.getOutputStream().write(Frame.encode(sequence, message, new WireWriter()));
    }

    private static Message read(DataInputStream in) throws IOException {
        int length = in.readInt();
        if (length < Protocol.HEADER || length > MAX_ANSWER) {
            throw new IOException("the beginning of this answer was read before");
        }
        byte[] bytes = new byte[length];
        in.readFully(bytes);
        return Frame.decode(bytes).message();
    }

    private void send(Socket socket, List<byte[]> valid) throws IOException {
        socket.setSoTimeout(GLANCE_MILLIS);
        DataInputStream in = new DataInputStream(socket.getInputStream());
        try {
            for (int left = 1 + random.nextInt(MAX_INPUTS); left > 0; left--) {
                inputs++;
                writeInParts(socket.getOutputStream(), input(valid));
                if (random.nextInt(4) == 0) {
                    glance(in);
                }
            }
            glance(in);
        } catch (IOException e) {
            if (e instanceof UnexpectedAnswerException) {
                throw e;
            }
            // the middleware has closed the connection, as it may
        }
    }

    private byte[] input(List<byte[]> valid) {
        byte[] frame = valid.get(random.nextInt(valid.size()));
        int percent = random.nextInt(100);
        if (percent < 25) {
            return frame; // in a wrong order
        }
        return percent < 95 ? mutator.mutated(frame, valid) : mutator.noise();
    }

    /** The parts arrive alone, or with others, as the network has it. */
    private void writeInParts(OutputStream out, byte[] bytes) throws IOException {
        int at = 0;
        while (at < bytes.length) {
            int next = random.nextInt(3) == 0 ? 1 + random.nextInt(bytes.length - at) : bytes.length - at;
            out.write(bytes, at, next);
            out.flush();
            at += next;
        }
    }

    /** An answer that only a defect causes. */
    private static final class UnexpectedAnswerException extends IOException {
        private static final long serialVersionUID = 1;

        UnexpectedAnswerException(ErrorReport answer) {
            super("the middleware answered %s %s".formatted(answer.sqlState(), answer.message()));
        }
    }

    /** Reads answers as long as they come at once. */
    private static void glance(DataInputStream in) throws IOException {
        try {
            while (true) {
                Message answer = read(in);
                if (answer instanceof ErrorReport error && error.sqlState().equals("XX000")) {
                    throw new UnexpectedAnswerException(error);
                }
            }
        } catch (SocketTimeoutException e) {
            // no answer at present; a part of one may be lost, so that the following ones are not understood
        } catch (UnexpectedAnswerException e) {
            throw e;
        } catch (RuntimeException e) {
            throw new IOException(e); // the beginning of this answer was read before
        }
    }

    private void sendHandshake(Socket socket) throws IOException {
        socket.setSoTimeout(GLANCE_MILLIS);
        try {
            for (int left = 1 + random.nextInt(MAX_INPUTS); left > 0; left--) {
                inputs++;
                writeInParts(socket.getOutputStream(), handshake());
            }
            socket.getInputStream().readNBytes(1 << 14);
        } catch (IOException e) {
            // the middleware has closed the connection, or does not answer
        }
    }

    /** A changed TLS message: a record with a header of five bytes, which contains a message with four. */
    private byte[] handshake() {
        byte[] bytes = clientHello.clone();
        for (int changes = random.nextInt(4); changes > 0; changes--) {
            bytes[random.nextInt(random.nextBoolean() ? Math.min(12, bytes.length) : bytes.length)] =
                    (byte) random.nextInt();
        }
        if (random.nextInt(3) > 0) {
            bytes[0] = 22; // otherwise the first one is no handshake
        }
        if (random.nextInt(3) == 0) {
            bytes = Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
        }
        return bytes;
    }
}
