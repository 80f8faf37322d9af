// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireWriter;

/**
 * Checks that the session and its middleware respond (Connection.isValid). The middleware replies with {@link Done}.
 * Uses no node and determines no route.
 */
public record Ping() implements Request {
    @Override
    public MessageType type() {
        return MessageType.PING;
    }

    @Override
    public void write(WireWriter out) {}

    @Override
    public void dispatch(RequestHandler handler) {
        handler.ping(this);
    }
}
