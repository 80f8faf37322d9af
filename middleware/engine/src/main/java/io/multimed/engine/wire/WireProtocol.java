// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.wire;

import java.nio.ByteBuffer;

/**
 * A protocol other than that of the middleware, whose clients may connect to the middleware's port by mistake: how they
 * are recognized, and what they understand as a refusal. Implementations are stateless and thread-safe.
 *
 * <p>A frame before the login begins with a byte 0, and its fifth byte, the message type, is 1, 2, 13 or 20.
 * Implementations must not recognize such bytes.
 */
public interface WireProtocol {
    /** A protocol whose clients are not recognized. */
    WireProtocol UNKNOWN = bytes -> FirstAnswer.OTHER;

    /**
     * Decides about a client that speaks first.
     *
     * @param bytes the bytes that have arrived from the client after the last {@link FirstAnswer.Kind#REPLY}, at least
     *     one; the position remains unchanged
     */
    FirstAnswer answer(ByteBuffer bytes);

    /**
     * Returns a refusal for clients that wait for the first bytes of the server; empty if clients speak first. The
     * driver of the middleware skips these bytes if it was only slow: see {@link
     * io.multimed.protocol.wire.Protocol#greetingLength}.
     */
    default byte[] greeting() {
        return new byte[0];
    }
}
