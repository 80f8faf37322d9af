package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks for more rows of an open result set. Answered by {@link Rows}. {@code maxRows}: rows wanted at most, 0 for the middleware's choice
 */
public record Fetch(int cursor, int maxRows) implements Request {
    @Override
    public MessageType type() {
        return MessageType.FETCH;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(cursor);
        out.writeInt(maxRows);
    }

    static Fetch read(WireReader in) {
        return new Fetch(in.readInt(), in.readInt());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.fetch(this);
    }
}
