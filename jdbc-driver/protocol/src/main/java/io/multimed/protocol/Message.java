package io.multimed.protocol;

import io.multimed.protocol.wire.WireWriter;

/** A message in either direction. A message encodes itself; {@link MessageType} decodes it. */
public sealed interface Message permits Request, Response {
    /** Returns the type, whose code identifies the message in a frame. */
    MessageType type();

    /** Appends the payload, without the header of the frame. */
    void write(WireWriter out);
}
