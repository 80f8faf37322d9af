// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.foreign;

import io.multimed.engine.wire.FirstAnswer;
import io.multimed.engine.wire.WireProtocol;
import java.nio.ByteBuffer;

/** Refuses a TLS handshake by an alert, on a port without TLS, or within TLS. */
final class TlsProtocol implements WireProtocol {
    private static final byte HANDSHAKE = 22;
    private static final byte MAJOR_VERSION = 3;

    /** A record with the fatal alert handshake_failure. */
    private static final byte[] ALERT = {21, MAJOR_VERSION, 1, 0, 2, 2, 40};

    @Override
    public FirstAnswer answer(ByteBuffer bytes) {
        if (bytes.get(bytes.position()) != HANDSHAKE) {
            return FirstAnswer.OTHER;
        }
        if (bytes.remaining() == 1) {
            return FirstAnswer.MORE;
        }
        boolean isTls = bytes.get(bytes.position() + 1) == MAJOR_VERSION;
        return isTls ? FirstAnswer.refusal(ALERT.clone()) : FirstAnswer.OTHER;
    }
}
