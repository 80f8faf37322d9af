package io.multimed.protocol;

import io.multimed.protocol.wire.WireWriter;

/**
 * Asks whether the session and its middleware live (Connection.isValid). Answered by {@link Done}; touches no node and fixes no route.
 */
public record Ping() implements Request {
    @Override
    public MessageType type() {
        return MessageType.PING;
    }

    @Override
    public void write(WireWriter out) {}

    @Override
    public void accept(RequestHandler handler) {
        handler.ping(this);
    }
}
