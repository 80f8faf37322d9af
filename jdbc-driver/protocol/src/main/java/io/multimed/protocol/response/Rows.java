// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.value.LargeValue;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.util.List;

/**
 * A batch of rows in encoded form. The middleware encodes the rows directly from the engine's result set; the driver
 * decodes a row when the application moves to it.
 *
 * @param count number of rows in the batch
 * @param last whether no rows follow
 * @param data the values of the rows, one after the other, in the format of {@link
 * io.multimed.protocol.value.ValueCodec}
 * @param large the large values of the batch, whose bytes the client may now request: see {@link
 * io.multimed.protocol.request.Download}
 */
public record Rows(int count, boolean last, byte[] data, List<LargeValue> large) implements Response {
    public static final Rows NONE = new Rows(0, true, new byte[0]);

    /** Creates a batch without large values. */
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
