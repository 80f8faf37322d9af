// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import io.multimed.protocol.response.Response;
import io.multimed.server.communication.foreign.FirstBytes;
import io.multimed.server.communication.foreign.SilentClient;
import io.multimed.server.communication.peer.LocalConnection;
import io.multimed.server.communication.tls.DecryptedInput;
import io.multimed.server.communication.tls.ServerTls;
import io.multimed.server.communication.tls.TlsGate;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.apache.mina.core.session.AttributeKey;
import org.apache.mina.core.session.IoSession;
import org.jspecify.annotations.Nullable;

/** A connection over a socket. The I/O thread of the connection calls the methods that receive. */
public final class MinaTransport implements ClientTransport {
    private static final AttributeKey SELF = new AttributeKey(MinaTransport.class, "self");

    private final IoSession io;

    /** Both ends, kept because a closed connection does not tell them. */
    private final LocalConnection ends;

    private final SilentClient silent = new SilentClient();
    private final FrameReceiver inflow;
    private final ResponseSender outflow;

    public MinaTransport(IoSession io, Session session, TransportLimits limits) {
        this.io = io;
        this.ends = new LocalConnection(
                (InetSocketAddress) io.getRemoteAddress(), (InetSocketAddress) io.getLocalAddress());
        this.outflow = new ResponseSender(io, limits.memory(), limits.maxUnread(), limits.tooMuchUnread());
        this.inflow = new FrameReceiver(
                io,
                session::received,
                session::terminate,
                new FirstBytes(io, outflow::sendForeign),
                new FrameReader(
                        () -> session.isKnown()
                                ? limits.maxFrame()
                                : Math.min(limits.maxFrame(), FrameReader.FREE_BYTES),
                        limits.memory()),
                limits.memory(),
                limits.readers());
        io.setAttribute(SELF, this);
    }

    /** Returns the transport of a connection; null before the connection is open. */
    public static @Nullable MinaTransport of(IoSession io) {
        return (MinaTransport) io.getAttribute(SELF);
    }

    /** Called before bytes of the client are handled, also before their decryption. */
    public void speaks() {
        silent.speaks();
    }

    /** Handles received bytes. */
    public void received(ByteBuffer bytes) {
        DecryptedInput input = TlsGate.input(io);
        if (input == null) {
            inflow.received(bytes);
        } else {
            input.add(bytes, inflow::received);
        }
    }

    /** Called when bytes of an answer were written. */
    public void sent(int bytes) {
        outflow.sent(bytes);
    }

    @Override
    public String remoteAddress() {
        String text = ends.client().toString(); // of the form /127.0.0.1:5432
        return text.startsWith("/") ? text.substring(1) : text;
    }

    @Override
    public LocalConnection ends() {
        return ends;
    }

    @Override
    public String tls() {
        return ServerTls.version(io);
    }

    @Override
    public byte[] channelBinding() {
        return ServerTls.binding(io);
    }

    @Override
    public void send(int sequence, Response response) {
        outflow.send(sequence, response);
    }

    @Override
    public void whenRead(Runnable action) {
        outflow.whenRead(action);
    }

    @Override
    public void awaitWrites() {
        outflow.awaitWrites();
    }

    @Override
    public void releaseAnswers() {
        outflow.written();
    }

    @Override
    public void checkLimits() {
        silent.greetIfSilent(outflow::sendForeign);
        inflow.checkLimits();
        outflow.checkLimits();
    }

    @Override
    public void closeOnFlush() {
        io.closeOnFlush();
    }

    @Override
    public void closeNow() {
        io.closeNow();
    }

    /** During a TLS handshake, an error waits for its end. */
    @Override
    public void closeLate() {
        if (TlsGate.isHandshaking(io)) {
            io.closeNow();
        }
    }

    @Override
    public void stopReading() {
        inflow.closed();
    }

    @Override
    public void resumeClosed() {
        outflow.closed();
    }
}
