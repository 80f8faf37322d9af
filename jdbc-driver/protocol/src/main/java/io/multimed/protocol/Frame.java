// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol;

import io.multimed.protocol.request.Request;
import io.multimed.protocol.response.Response;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A message with its sequence number. The client numbers its requests from 1; a reply carries the number of its
 * request. The session id and the number together identify a commit: the receipt that is stored with the WriteSet
 * contains both.
 */
public record Frame(int sequence, Message message) {
    /**
     * Returns the frame as bytes, ready to send.
     *
     * @param scratch is cleared first; no other thread may use it during the call
     */
    public static byte[] encode(int sequence, Message message, WireWriter scratch) {
        writeTo(sequence, message, scratch);
        return scratch.toByteArray();
    }

    /**
     * Writes the frame into {@code out}, which is cleared first. The bytes of the frame are {@code out.array()[0 ..
     * out.size())}.
     */
    public static void writeTo(int sequence, Message message, WireWriter out) {
        out.clear();
        out.writeInt(0);
        out.writeByte(message.type().code());
        out.writeInt(sequence);
        message.write(out);
        out.patchInt(0, out.size() - Protocol.LENGTH);
    }

    /**
     * Decodes the bytes of a frame that follow the length.
     *
     * @throws io.multimed.protocol.wire.ProtocolException if the bytes violate the protocol
     */
    public static Frame decode(byte[] bytes) {
        WireReader in = new WireReader(bytes);
        MessageType type = MessageType.of(in.readByte());
        int sequence = in.readInt();
        return new Frame(sequence, type.isRequest() ? Request.read(type, in) : Response.read(type, in));
    }

    /**
     * Decodes a frame from an untrusted sender, which must contain a request.
     *
     * @param known whether the client has logged in; before the login, only messages of the login are decoded
     * @param allowance limits the memory of the decoded message
     * @throws io.multimed.protocol.wire.ProtocolException if the bytes violate the protocol, or contain another message
     */
    public static Frame decodeRequest(byte[] bytes, boolean known, WireReader.Allowance allowance) {
        WireReader in = new WireReader(bytes, allowance);
        int code = in.readByte();
        int sequence = in.readInt();
        MessageType.checkRequest(code, known);
        return new Frame(sequence, Request.read(MessageType.of(code), in));
    }

    /**
     * Returns the sequence number of a frame.
     *
     * @param bytes the bytes after the length, at least {@link Protocol#HEADER} of them
     */
    public static int sequence(byte[] bytes) {
        WireReader in = new WireReader(bytes);
        in.readByte();
        return in.readInt();
    }
}
