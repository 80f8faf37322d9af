// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * Reply that opens the session.
 *
 * @param sessionId unique, including restarts of the middleware
 * @param cancelKey secret for {@link io.multimed.protocol.request.Cancel} and {@link
 * io.multimed.protocol.request.QueryOutcome}
 * @param scn the last published SCN
 * @param serverSignature proves that the middleware knows the password, too; empty without a password
 * @param engine identity of the engine, so that the driver's metadata needs no round trip
 * @param traces whether the client may send requests as {@link io.multimed.protocol.request.Traced}
 * @param nodes names of the nodes; {@link io.multimed.protocol.session.SessionStatus#node()} is an index into this list
 */
public record Welcome(
        long sessionId,
        long cancelKey,
        long scn,
        byte[] serverSignature,
        EngineIdentity engine,
        boolean traces,
        List<String> nodes)
        implements Response {
    @Override
    public MessageType type() {
        return MessageType.WELCOME;
    }

    @Override
    public void write(WireWriter out) {
        out.writeLong(sessionId);
        out.writeLong(cancelKey);
        out.writeLong(scn);
        out.writeBytes(serverSignature);
        engine.write(out);
        out.writeBoolean(traces);
        out.writeList(nodes, (node, to) -> to.writeString(node));
    }

    static Welcome read(WireReader in) {
        return new Welcome(
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readBytes(),
                EngineIdentity.read(in),
                in.readBoolean(),
                in.readList(WireReader::readString));
    }
}
