package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks to cancel what a session runs now. Sent as the only message on a connection of its own; not answered.
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
