// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.foreign;

import io.multimed.engine.Engines;
import io.multimed.engine.wire.FirstAnswer;
import io.multimed.engine.wire.WireProtocol;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;

/** The protocols whose clients are recognized: those of the engines, HTTP, and TLS where the port has none. */
public final class ForeignProtocols {
    private static final List<WireProtocol> ALL = Stream.concat(
                    Stream.of(new HttpProtocol(), new TlsProtocol()), Engines.wireProtocols().stream())
            .toList();

    private static final byte[] GREETING = ALL.stream()
            .map(WireProtocol::greeting)
            .filter(greeting -> greeting.length > 0)
            .findFirst()
            .orElse(new byte[0]);

    private ForeignProtocols() {}

    /** Decides as {@link WireProtocol#answer}; MORE if no protocol recognizes the bytes, and one needs more of them. */
    static FirstAnswer answer(ByteBuffer bytes) {
        FirstAnswer undecided = FirstAnswer.OTHER;
        for (WireProtocol protocol : ALL) {
            FirstAnswer answer = protocol.answer(bytes);
            switch (answer.kind()) {
                case REPLY, REFUSAL -> {
                    return answer;
                }
                case MORE -> undecided = answer;
                case OTHER -> {}
            }
        }
        return undecided;
    }

    /** Returns what a client receives that waits for the first bytes of the server; empty if there is nothing. */
    public static byte[] greeting() {
        return GREETING.clone();
    }
}
