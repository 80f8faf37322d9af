package io.multimed.protocol.request;

import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Cancels the running request of a session. The client sends this message as the only one on a separate connection; the
 * middleware sends no reply.
 *
 * @param sessionId the session, from {@link Welcome}
 * @param cancelKey proves that the sender owns the session
 */
public record Cancel(long sessionId, long cancelKey) implements Request {
    @Override
    public MessageType type() {
        return MessageType.CANCEL;
    }

    @Override
    public void write(WireWriter out) {
        out.writeLong(sessionId);
        out.writeLong(cancelKey);
    }

    static Cancel read(WireReader in) {
        return new Cancel(in.readLong(), in.readLong());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.cancel(this);
    }
}
