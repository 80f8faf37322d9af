// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Closes a result set whose remaining rows the client does not need. The middleware replies with {@link Done}.
 *
 * @param cursor the result set, from {@link ResultSetHead}
 */
public record CloseCursor(int cursor) implements Request {
    @Override
    public MessageType type() {
        return MessageType.CLOSE_CURSOR;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(cursor);
    }

    static CloseCursor read(WireReader in) {
        return new CloseCursor(in.readInt());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.closeCursor(this);
    }
}
