// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.tls;

import java.util.concurrent.Executor;
import org.apache.mina.core.buffer.IoBuffer;
import org.apache.mina.core.filterchain.IoFilterAdapter;
import org.apache.mina.core.session.AttributeKey;
import org.apache.mina.core.session.IoSession;
import org.apache.mina.filter.ssl.SslFilter;
import org.jspecify.annotations.Nullable;

/**
 * Recognizes TLS by the first byte of a connection, which is 22 for a TLS handshake and 0 for a frame before the login,
 * and then puts the TLS filter behind itself. No request for TLS precedes, so that an attacker in between has
 * no request to remove.
 *
 * <p>The TLS filter holds a lock while it passes decrypted bytes on, and takes the same lock for each response.
 * Therefore the bytes are kept until the filter has returned: see {@link DecryptedInput}.
 */
public final class TlsGate extends IoFilterAdapter {
    private static final byte HANDSHAKE = 22;
    private static final String TLS = "tls";
    private static final AttributeKey INPUT = new AttributeKey(TlsGate.class, "input");
    private static final AttributeKey IS_KNOWN = new AttributeKey(TlsGate.class, "known");
    private static final AttributeKey IS_MISSING = new AttributeKey(TlsGate.class, "missing");

    private final ServerTls tls;
    private final Executor executor;

    /** @param executor runs what another thread than the I/O thread has decrypted */
    public TlsGate(ServerTls tls, Executor executor) {
        this.tls = tls;
        this.executor = executor;
    }

    @Override
    public void messageReceived(NextFilter next, IoSession io, Object message) {
        IoBuffer bytes = (IoBuffer) message;
        if (io.getAttribute(IS_KNOWN) == null && bytes.hasRemaining()) {
            io.setAttribute(IS_KNOWN, true);
            if (bytes.get(bytes.position()) == HANDSHAKE) {
                io.setAttribute(INPUT, new DecryptedInput(executor));
                io.getFilterChain().addLast(TLS, tls.filter());
            } else if (tls.isRequired()) {
                io.setAttribute(IS_MISSING, true);
            }
        }
        DecryptedInput input = input(io);
        if (input == null) {
            next.messageReceived(io, message);
        } else {
            input.runBehind(() -> next.messageReceived(io, message));
        }
    }

    /**
     * Returns whether the port requires TLS, and the connection does not use TLS: its frames must be refused. Called
     * after bytes of the client have arrived.
     */
    public static boolean isMissing(IoSession io) {
        return io.getAttribute(IS_MISSING) != null;
    }

    /** Returns whether a TLS handshake has begun and not ended. Responses then wait for its end. */
    public static boolean isHandshaking(IoSession io) {
        return input(io) != null && io.getAttribute(SslFilter.SSL_SECURED) == null;
    }

    /** Returns the input of a connection that uses TLS; null if it does not. */
    public static @Nullable DecryptedInput input(IoSession io) {
        return (DecryptedInput) io.getAttribute(INPUT);
    }
}
