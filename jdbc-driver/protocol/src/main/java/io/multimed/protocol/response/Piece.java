// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Reply to {@link io.multimed.protocol.request.Download}: the next {@link io.multimed.protocol.wire.Protocol#PIECE}
 * bytes of a large value; fewer at its end.
 */
public record Piece(byte[] bytes) implements Response {
    @Override
    public MessageType type() {
        return MessageType.PIECE;
    }

    @Override
    public void write(WireWriter out) {
        out.writeBytes(bytes);
    }

    static Piece read(WireReader in) {
        return new Piece(in.readBytes());
    }
}
