// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import io.multimed.protocol.response.Piece;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Asks for the next bytes of a {@link io.multimed.protocol.value.LargeValue}. The request must directly follow the
 * reply that contained the value: the middleware drops the value on any other request. The middleware replies with
 * {@link Piece}.
 *
 * @param number the value, from {@link io.multimed.protocol.value.LargeValue}
 */
public record Download(int number) implements Request {
    @Override
    public MessageType type() {
        return MessageType.DOWNLOAD;
    }

    @Override
    public void write(WireWriter out) {
        out.writeInt(number);
    }

    static Download read(WireReader in) {
        return new Download(in.readInt());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.download(this);
    }
}
