// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireWriter;

/** Closes the session. The middleware rolls back an open transaction and sends no reply. */
public record Goodbye() implements Request {
    @Override
    public MessageType type() {
        return MessageType.GOODBYE;
    }

    @Override
    public void write(WireWriter out) {}

    @Override
    public void dispatch(RequestHandler handler) {
        handler.goodbye(this);
    }
}
