package io.multimed.protocol;

import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A client's first message. Answered by {@link Welcome}, or by {@link Challenge} where the user must prove a password (SCRAM-SHA-256, RFC 5802:
 * the password is never transmitted).
 *
 * @param nonce at least 18 random bytes
 * @param zone the client's time zone, an identifier of java.util.TimeZone; empty leaves the engine's sessions as they are
 */
public record Hello(int version, String database, String user, String client, byte[] nonce, String zone)
        implements Request {
    @Override
    public MessageType type() {
        return MessageType.HELLO;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(Protocol.MAGIC);
        out.writeInt(version);
        out.writeString(database);
        out.writeString(user);
        out.writeString(client);
        out.writeBytes(nonce);
        out.writeString(zone);
    }

    static Hello read(WireReader in) {
        if (in.readInt() != Protocol.MAGIC) {
            throw new ProtocolException("not a Multimed client");
        }
        int version = in.readInt();
        return new Hello(
                version,
                in.readString(),
                in.readString(),
                in.readString(),
                in.readBytes(),
                version < Protocol.VERSION ? "" : in.readString());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.hello(this);
    }
}
