package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Gives up the rest of a result set. Answered by {@link Done}.
 */
public record CloseCursor(int cursor) implements Request {
    @Override
    public MessageType type() {
        return MessageType.CLOSE_CURSOR;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(cursor);
    }

    static CloseCursor read(WireReader in) {
        return new CloseCursor(in.readInt());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.closeCursor(this);
    }
}
