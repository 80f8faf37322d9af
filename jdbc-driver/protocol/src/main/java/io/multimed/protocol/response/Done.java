// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.response;

import io.multimed.protocol.session.SessionStatus;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/** Reply to a request that has no result besides the session status. */
public record Done(SessionStatus status) implements Response {
    @Override
    public MessageType type() {
        return MessageType.DONE;
    }

    @Override
    public Done withStatus(SessionStatus other) {
        return new Done(other);
    }

    @Override
    public void write(WireWriter out) {
        status.write(out);
    }

    static Done read(WireReader in) {
        return new Done(SessionStatus.read(in));
    }
}
