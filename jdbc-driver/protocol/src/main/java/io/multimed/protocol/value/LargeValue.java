// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.value;

import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Placeholder for a large value in a row. The client requests the bytes by {@link
 * io.multimed.protocol.request.Download}.
 *
 * @param number the middleware's number for the value
 * @param text whether the bytes are text in UTF-8
 * @param bytes length of the value
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
