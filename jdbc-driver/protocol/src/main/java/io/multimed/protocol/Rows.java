package io.multimed.protocol;

import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * A batch of rows. They stay encoded until they are read: the middleware writes them straight from the engine's result set, the driver decodes
 * the row that the application stands on.
 *
 * @param count rows in this batch
 * @param last whether no more follow
 * @param data the rows' values, one after the other, each as {@link io.multimed.protocol.value.ValueCodec} writes it
 * @param large those of them that are to be asked for now, see {@link Download}
 */
public record Rows(int count, boolean last, byte[] data, List<LargeValue> large) implements Response {
    public static final Rows NONE = new Rows(0, true, new byte[0]);

    /** Rows without large values. */
    public Rows(int count, boolean last, byte[] data) {
        this(count, last, data, List.of());
    }

    @Override
    public MessageType type() {
        return MessageType.ROWS;
    }

    @Override
    public void write(WireWriter out) {
        out.writeVarint(count);
        out.writeBoolean(last);
        out.writeBytes(data);
        out.writeList(large, LargeValue::write);
    }

    static Rows read(WireReader in) {
        return new Rows(in.readVarint(), in.readBoolean(), in.readBytes(), in.readList(LargeValue::read));
    }
}
