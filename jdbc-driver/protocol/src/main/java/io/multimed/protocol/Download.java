package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks for the next bytes of a {@link io.multimed.protocol.value.LargeValue}. To be sent right after the answer that had the value: the middleware forgets it when anything else is asked.
 * Answered by {@link Piece}.
 */
public record Download(int number) implements Request {
    @Override
    public MessageType type() {
        return MessageType.DOWNLOAD;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(number);
    }

    static Download read(WireReader in) {
        return new Download(in.readInt());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.download(this);
    }
}
