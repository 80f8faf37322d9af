// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.foreign;

import io.multimed.engine.wire.FirstAnswer;
import io.multimed.engine.wire.WireProtocol;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Recognizes clients of HTTP by the method of their request. */
final class HttpProtocol implements WireProtocol {
    private static final List<String> METHODS =
            List.of("GET ", "HEAD ", "POST ", "PUT ", "DELETE ", "OPTIONS ", "PATCH ", "CONNECT ", "TRACE ", "PRI ");

    private static final String REFUSAL =
            "This port speaks the protocol of Multimed, not HTTP: use a URL of the form jdbc:multimed://host:port/database, or the ports of the dashboard and of monitoring.\n";

    @Override
    public FirstAnswer answer(ByteBuffer bytes) {
        for (String method : METHODS) {
            int common = Math.min(method.length(), bytes.remaining());
            byte[] first = new byte[common];
            bytes.get(bytes.position(), first);
            if (method.startsWith(new String(first, StandardCharsets.ISO_8859_1))) {
                return common < method.length() ? FirstAnswer.MORE : FirstAnswer.refusal(refusal());
            }
        }
        return FirstAnswer.OTHER;
    }

    private static byte[] refusal() {
        return """
                HTTP/1.1 400 Bad Request\r
                Content-Type: text/plain\r
                Content-Length: %d\r
                Connection: close\r
                \r
                %s""".formatted(REFUSAL.length(), REFUSAL).getBytes(StandardCharsets.US_ASCII);
    }
}
