// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * First message of a client. The middleware replies with {@link Welcome} or, if the user has a password, with {@link
 * Challenge} (SCRAM-SHA-256, RFC 5802). The challenge does not depend on whether the user exists.
 *
 * @param version the client's {@link Protocol#VERSION}
 * @param client name of the client program; not used by the middleware yet
 * @param nonce at least 18 random bytes
 * @param zone the client's time zone, an identifier of java.util.TimeZone; empty keeps the time zone of the engine's
 * sessions
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
        if (version >= Protocol.VERSION || !zone.isEmpty()) {
            out.writeString(zone);
        }
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
                version < Protocol.VERSION && in.remaining() == 0 ? "" : in.readString()); // very old ones send no zone
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.hello(this);
    }
}
