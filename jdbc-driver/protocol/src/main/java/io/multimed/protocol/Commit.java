package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Ends the open transaction. Answered by {@link Done} once the commit is durable and published (architecture 4.2); without an open transaction, at once.
 */
public record Commit() implements Request {
    @Override
    public MessageType type() {
        return MessageType.COMMIT;
    }

    @Override
    public void write(WireWriter out) {}

    static Commit read(WireReader in) {
        return new Commit();
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.commit(this);
    }
}
