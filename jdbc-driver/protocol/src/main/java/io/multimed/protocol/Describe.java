package io.multimed.protocol;

import io.multimed.protocol.statement.TransactionMode;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** Asks what a statement's parameters and columns are, without running it. Answered by {@link Described}. {@code sql}: of a prepared statement */
public record Describe(TransactionMode mode, String sql) implements Request {
    @Override
    public MessageType type() {
        return MessageType.DESCRIBE;
    }

    @Override
    public void write(WireWriter out) {
        mode.write(out);
        out.writeString(sql);
    }

    static Describe read(WireReader in) {
        return new Describe(TransactionMode.read(in), in.readString());
    }

    @Override
    public void accept(RequestHandler handler) {
        handler.describe(this);
    }
}
