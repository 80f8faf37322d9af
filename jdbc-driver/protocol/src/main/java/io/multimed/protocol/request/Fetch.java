// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.ResultSetHead;
import io.multimed.protocol.response.Rows;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks for more rows of an open result set. The middleware replies with {@link Rows}.
 *
 * @param cursor the result set, from {@link ResultSetHead}
 * @param maxRows maximum number of rows; 0 lets the middleware choose
 */
public record Fetch(int cursor, int maxRows) implements Request {
    @Override
    public MessageType type() {
        return MessageType.FETCH;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(cursor);
        out.writeInt(maxRows);
    }

    static Fetch read(WireReader in) {
        return new Fetch(in.readInt(), in.readInt());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.fetch(this);
    }
}
