// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.wire;

/**
 * Constants of the protocol. A frame consists of the length of the remainder (4 bytes), the message type (1 byte), the
 * sequence number (4 bytes), and the payload.
 */
public final class Protocol {
    /**
     * Version of the message formats, incremented with every change of a format. The middleware refuses clients of
     * another version, and names both versions.
     */
    public static final int VERSION = 20;

    /** First bytes of a {@link io.multimed.protocol.request.Hello}, by which the middleware recognizes a client. */
    public static final int MAGIC = 0x4d4d4544; // "MMED"

    /** Length of a frame's header after the length field, in bytes. */
    public static final int HEADER = 5;

    /** Length of the length field, in bytes. */
    public static final int LENGTH = 4;

    /** Default limit for the size of a frame, in bytes. */
    public static final int DEFAULT_MAX_FRAME = 64 << 20;

    /**
     * Maximum size of a piece, in bytes. Larger parameter values are sent before their statement in pieces of this
     * size: see {@link io.multimed.protocol.request.Upload}. Larger values of results are requested in pieces: see
     * {@link io.multimed.protocol.request.Download}.
     */
    public static final int PIECE = 1 << 20;

    /**
     * Number of prepared statements that a session may store: see {@link io.multimed.protocol.statement.StatementText}.
     */
    public static final int SLOTS = 256;

    /** The first byte of a greeting after its length: see {@link #greetingLength}. */
    public static final int GREETING = 0xff;

    private static final int MAX_GREETING = 1_024;

    private Protocol() {}

    /**
     * Returns how many bytes follow the first four bytes of a connection if these begin a greeting; 0 if they do not.
     * The middleware sends a greeting to a client that is silent for a second, because the client may be one of another
     * protocol in which the server speaks first. The greeting precedes the middleware's first frame, or its part of a
     * TLS handshake, and is an error in that protocol: its length in three bytes, the least significant one first, a
     * byte 0, and at most 1,024 bytes, the first of which is {@link #GREETING}.
     *
     * @param first the first four bytes, as a number whose most significant byte comes first
     */
    public static int greetingLength(int first) {
        int length = Integer.reverseBytes(first);
        boolean isFrame = first >>> 24 == 0; // the first frame has less than 16 MB
        return isFrame || length < 1 || length > MAX_GREETING ? 0 : length;
    }
}
