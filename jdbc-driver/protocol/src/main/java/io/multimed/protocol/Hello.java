package io.multimed.protocol;

/**
 * A client's first message. Answered by {@link Welcome}, or by {@link Challenge} where the user must prove a password (SCRAM-SHA-256, RFC 5802:
 * the password never travels).
 *
 * @param nonce at least 18 random bytes
 */
public record Hello(int version, String database, String user, String client, byte[] nonce) implements Request {
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
    }

    static Hello read(WireReader in) {
        if (in.readInt() != Protocol.MAGIC) {
            throw new ProtocolException("not a Multimed client");
        }
        return new Hello(in.readInt(), in.readString(), in.readString(), in.readString(), in.readBytes());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.hello(this);
    }
}
