package io.multimed.protocol;

import io.multimed.protocol.wire.WireWriter;

/**
 * The client closes its session. Not answered; an open transaction is rolled back.
 */
public record Goodbye() implements Request {
    @Override
    public MessageType type() {
        return MessageType.GOODBYE;
    }

    @Override
    public void write(WireWriter out) {}

    @Override
    public void accept(RequestHandler handler) {
        handler.goodbye(this);
    }
}
