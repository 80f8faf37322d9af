// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Done;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A piece of a large parameter value, sent before the statement that uses the value (see {@link
 * io.multimed.protocol.value.UploadedValue}). The pieces of a value arrive in order. The middleware drops the values
 * after the statement has run. The middleware replies with {@link Done}.
 *
 * @param value the client's number for the value
 * @param piece the next bytes, at most {@link io.multimed.protocol.wire.Protocol#PIECE}
 */
public record Upload(int value, byte[] piece) implements Request {
    @Override
    public MessageType type() {
        return MessageType.UPLOAD;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(value);
        out.writeBytes(piece);
    }

    static Upload read(WireReader in) {
        return new Upload(in.readInt(), in.readBytes());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.upload(this);
    }
}
