package io.multimed.protocol;

import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;

/**
 * A message with its sequence number. The client counts its requests up from 1, the answer carries the number of its request. Together with
 * the session's id, the number names a commit (the receipt that is sealed with a WriteSet).
 */
public record Frame(int sequence, Message message) {
    /** The frame as bytes, ready to send; {@code scratch} is cleared first and must not be used by another thread meanwhile. */
    public static byte[] encode(int sequence, Message message, WireWriter scratch) {
        writeTo(sequence, message, scratch);
        return scratch.toByteArray();
    }

    /** Writes the frame into {@code out}, which is cleared first; its bytes are then {@code out.array()[0 .. out.size())}. */
    public static void writeTo(int sequence, Message message, WireWriter out) {
        out.clear();
        out.writeInt(0);
        out.writeByte(message.type().code());
        out.writeInt(sequence);
        message.write(out);
        out.patchInt(0, out.size() - Protocol.LENGTH);
    }

    /**
     * Reads a frame's bytes, those after the length.
     *
     * @throws io.multimed.protocol.wire.ProtocolException if they are not of the protocol
     */
    public static Frame decode(byte[] bytes) {
        WireReader in = new WireReader(bytes);
        int code = in.readByte();
        int sequence = in.readInt();
        return new Frame(sequence, MessageType.read(code, in));
    }

    /**
     * Decodes a frame from an untrusted sender, which must contain a request.
     *
     * @param known whether the client has logged in; otherwise only messages of the login are decoded
     * @param allowance is asked for the memory of the decoded message
     * @throws io.multimed.protocol.wire.ProtocolException if the bytes violate the protocol, or contain another message
     */
    public static Frame decodeRequest(byte[] bytes, boolean known, WireReader.Allowance allowance) {
        WireReader in = new WireReader(bytes, allowance);
        int code = in.readByte();
        int sequence = in.readInt();
        MessageType.checkRequest(code, known);
        return new Frame(sequence, MessageType.read(code, in));
    }

    /**
     * Returns the sequence number of a frame, given its bytes after the length: at least {@link Protocol#HEADER} of
     * them.
     */
    public static int sequence(byte[] bytes) {
        WireReader in = new WireReader(bytes);
        in.readByte();
        return in.readInt();
    }
}
