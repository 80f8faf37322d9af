package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** The middleware's part of a SCRAM-SHA-256 exchange; {@code nonce} begins with the client's. */
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
