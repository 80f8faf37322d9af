// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * The server's first message of a SCRAM-SHA-256 exchange (RFC 5802). A user who is passed through to the master answers
 * with a {@link io.multimed.protocol.request.ClearPassword} instead.
 *
 * @param salt salt of the stored password
 * @param iterations iteration count of the stored password
 * @param nonce the client's nonce, followed by the middleware's
 */
public record Challenge(byte[] salt, int iterations, byte[] nonce) implements Response {
    @Override
    public MessageType type() {
        return MessageType.CHALLENGE;
    }

    @Override
    public void write(WireWriter out) {
        out.writeBytes(salt);
        out.writeInt(iterations);
        out.writeBytes(nonce);
    }

    static Challenge read(WireReader in) {
        return new Challenge(in.readBytes(), in.readInt(), in.readBytes());
    }
}
