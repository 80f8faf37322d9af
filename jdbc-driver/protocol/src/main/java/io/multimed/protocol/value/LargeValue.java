package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * In place of a large value of a result: its bytes are to be asked for by {@link io.multimed.protocol.Download}.
 *
 * @param number the middleware's number for the value
 * @param text whether the bytes are a text in UTF-8
 * @param bytes how many
 */
public record LargeValue(int number, boolean text, int bytes) {
    public void write(WireWriter out) {
        out.writeInt(number);
        out.writeBoolean(text);
        out.writeInt(bytes);
    }

    public static LargeValue read(WireReader in) {
        return new LargeValue(in.readInt(), in.readBoolean(), in.readInt());
    }
}
