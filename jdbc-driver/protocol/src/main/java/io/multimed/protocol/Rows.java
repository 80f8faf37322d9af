package io.multimed.protocol;

/**
 * A batch of rows. They stay encoded until they are read: the middleware writes them straight from the engine's result set, the driver decodes
 * the row that the application stands on.
 *
 * @param count rows in this batch
 * @param last whether no more follow
 * @param data the rows' values, one after the other, each as {@link ValueCodec} writes it
 */
public record Rows(int count, boolean last, byte[] data) implements Response {
    public static final Rows NONE = new Rows(0, true, new byte[0]);

    @Override
    public MessageType type() {
        return MessageType.ROWS;
    }

    @Override
    public void write(WireWriter out) {
        out.writeVarint(count);
        out.writeBoolean(last);
        out.writeBytes(data);
    }

    static Rows read(WireReader in) {
        return new Rows(in.readVarint(), in.readBoolean(), in.readBytes());
    }
}
