package io.multimed.protocol;

import io.multimed.protocol.session.EngineIdentity;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * The session is open.
 *
 * @param sessionId unique over restarts of the middleware
 * @param cancelKey to be shown with a {@link Cancel} or {@link QueryOutcome}
 * @param scn the last published one
 * @param serverSignature proves that the middleware knows the password too; empty where none was asked for
 * @param engine the engine's own identity, so that metadata needs no round trip
 * @param nodes the nodes' names, in the order that {@link io.multimed.protocol.session.SessionStatus#node()} counts
 */
public record Welcome(
        long sessionId, long cancelKey, long scn, byte[] serverSignature, EngineIdentity engine, List<String> nodes)
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
        out.writeList(nodes, (node, to) -> to.writeString(node));
    }

    static Welcome read(WireReader in) {
        return new Welcome(
                in.readLong(),
                in.readLong(),
                in.readLong(),
                in.readBytes(),
                EngineIdentity.read(in),
                in.readList(WireReader::readString));
    }
}
