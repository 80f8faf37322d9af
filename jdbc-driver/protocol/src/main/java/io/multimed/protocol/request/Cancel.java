// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.response.Welcome;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Cancels a request of another session: it fails, unless it has ended, or ends before the cancellation takes effect.
 * Any other request is unaffected. The client sends this message as the only one on a separate connection. The
 * middleware replies with {@link Done} when it has received the message, whether or not there is such a session and
 * request, and closes the connection.
 *
 * @param sessionId the session, from {@link Welcome}
 * @param cancelKey proves that the sender owns the session
 * @param sequence number of the request; the request may arrive later than this message
 */
public record Cancel(long sessionId, long cancelKey, int sequence) implements Request {
    @Override
    public MessageType type() {
        return MessageType.CANCEL;
    }

    @Override
    public void write(WireWriter out) {
        out.writeLong(sessionId);
        out.writeLong(cancelKey);
        out.writeInt(sequence);
    }

    static Cancel read(WireReader in) {
        return new Cancel(in.readLong(), in.readLong(), in.readInt());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.cancel(this);
    }
}
