// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.wire;

/**
 * The decision of a {@link WireProtocol} about the first bytes of a client.
 *
 * @param bytes for the client; empty if there are none
 */
@SuppressWarnings("ArrayRecordComponent") // the bytes are sent, and never compared
public record FirstAnswer(Kind kind, byte[] bytes) {
    /** What the first bytes are. */
    public enum Kind {
        /** They belong to another protocol. */
        OTHER,
        /** They may belong to this protocol: more bytes are needed. */
        MORE,
        /** They belong to this protocol, and the client expects the answer before it continues. */
        REPLY,
        /** They belong to this protocol: the client receives the answer, and the connection ends. */
        REFUSAL
    }

    public static final FirstAnswer OTHER = new FirstAnswer(Kind.OTHER, new byte[0]);
    public static final FirstAnswer MORE = new FirstAnswer(Kind.MORE, new byte[0]);

    /** Returns the decision to answer and to read on. */
    public static FirstAnswer reply(byte[] bytes) {
        return new FirstAnswer(Kind.REPLY, bytes);
    }

    /** Returns the decision to answer and to end the connection. */
    public static FirstAnswer refusal(byte[] bytes) {
        return new FirstAnswer(Kind.REFUSAL, bytes);
    }
}
