package io.multimed.protocol;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A piece of a large value, sent ahead of the statement that has it for a parameter (see {@link io.multimed.protocol.value.UploadedValue}). The pieces of one value come in order; when a statement
 * has run, the values that were sent for it are forgotten. Answered by {@link Done}.
 *
 * @param value the client's number for the value
 * @param piece its next bytes, at most {@link io.multimed.protocol.wire.Protocol#PIECE}
 */
public record Upload(int value, byte[] piece) implements Request {
    @Override
    public MessageType type() {
        return MessageType.UPLOAD;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(value);
        out.writeBytes(piece);
    }

    static Upload read(WireReader in) {
        return new Upload(in.readInt(), in.readBytes());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.upload(this);
    }
}
