// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** Rolls back the open transaction. The middleware replies with {@link Done}. */
public record Rollback() implements Request {
    @Override
    public MessageType type() {
        return MessageType.ROLLBACK;
    }

    @Override
    public void write(WireWriter out) {}

    static Rollback read(WireReader in) {
        return new Rollback();
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.rollback(this);
    }
}
