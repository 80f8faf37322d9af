// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.request;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.multimed.protocol.response.Challenge;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * Client's reply to a {@link Challenge} in place of a {@link Proof}: the password itself, which the middleware passes
 * on to the master. A client sends it only over TLS, to a middleware whose certificate it has verified.
 *
 * @param password in UTF-8
 */
public record ClearPassword(byte[] password) implements Request {
    public static ClearPassword of(char[] password) {
        return new ClearPassword(new String(password).getBytes(UTF_8));
    }

    public String text() {
        return new String(password, UTF_8);
    }

    @Override
    public MessageType type() {
        return MessageType.CLEAR_PASSWORD;
    }

    @Override
    public void write(WireWriter out) {
        out.writeBytes(password);
    }

    static ClearPassword read(WireReader in) {
        return new ClearPassword(in.readBytes());
    }

    @Override
    public void dispatch(RequestHandler handler) {
        handler.clearPassword(this);
    }
}
