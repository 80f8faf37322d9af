// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.wire;

/**
 * A message in either direction: a {@link io.multimed.protocol.request.Request} or a {@link
 * io.multimed.protocol.response.Response}. A message encodes itself; {@link io.multimed.protocol.Frame} decodes it.
 */
public interface Message {
    /** Returns the type, whose code identifies the message in a frame. */
    MessageType type();

    /** Appends the payload, without the header of the frame. */
    void write(WireWriter out);
}
