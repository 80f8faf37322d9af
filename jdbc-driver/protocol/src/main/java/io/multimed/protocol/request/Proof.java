// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Client's reply to a {@link Challenge}.
 *
 * @param clientProof ClientProof of RFC 5802
 */
public record Proof(byte[] clientProof) implements Request {
    @Override
    public MessageType type() {
        return MessageType.PROOF;
    }

    @Override
    public void write(WireWriter out) {
        out.writeBytes(clientProof);
    }

    static Proof read(WireReader in) {
        return new Proof(in.readBytes());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.proof(this);
    }
}
