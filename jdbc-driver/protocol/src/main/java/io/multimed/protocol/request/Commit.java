// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Commits the open transaction. The middleware replies with {@link Done} after the commit is durable and published
 * (architecture 4.2). Without an open transaction, the middleware replies immediately.
 *
 * @param keepsModes whether modes that SQL has set for the next transaction remain: on engines with such modes, the
 *     commit by which auto-commit is switched on does not use them up
 */
public record Commit(boolean keepsModes) implements Request {
    @Override
    public MessageType type() {
        return MessageType.COMMIT;
    }

    @Override
    public void write(WireWriter out) {
        out.writeBoolean(keepsModes);
    }

    static Commit read(WireReader in) {
        return new Commit(in.readBoolean());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.commit(this);
    }
}
