package io.multimed.protocol;

import io.multimed.protocol.wire.WireWriter;

/** One thing said on the wire, in either direction. Every message knows how to write itself; {@link MessageType} knows how to read it back. */
public sealed interface Message permits Request, Response {
    /** The byte that stands for this kind of message in a frame. */
    MessageType type();

    /** Appends the payload, without the frame's header. */
    void write(WireWriter out);
}
