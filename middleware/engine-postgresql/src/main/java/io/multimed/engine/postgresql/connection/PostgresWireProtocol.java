// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.postgresql.connection;

import io.multimed.engine.wire.FirstAnswer;
import io.multimed.engine.wire.WireProtocol;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Recognizes clients of PostgreSQL. The first message of a client has no type: it consists of its length and a code,
 * which is the version of the protocol, or a request for encryption or for the cancellation of a statement.
 */
public final class PostgresWireProtocol implements WireProtocol {
    private static final String REFUSAL =
            "this port speaks the protocol of Multimed, not that of PostgreSQL: use a URL of the form jdbc:multimed://host:port/database, or connect to the engine's own port";

    private static final int HEADER = 8;

    /** The maximum length of a first message; PostgreSQL accepts 10,000 bytes. */
    private static final int MAX_LENGTH = 8 << 10;

    private static final int CANCEL_REQUEST = 1234 << 16 | 5678;
    private static final int SSL_REQUEST = 1234 << 16 | 5679;
    private static final int GSS_REQUEST = 1234 << 16 | 5680;
    private static final int OLDEST_VERSION = 1;
    private static final int NEWEST_VERSION = 3;

    @Override
    public FirstAnswer answer(ByteBuffer bytes) {
        int from = bytes.position();
        int length = bytes.remaining() < Integer.BYTES ? HEADER : bytes.getInt(from);
        if (length < HEADER || length > MAX_LENGTH || !mayBeCode(bytes)) {
            return FirstAnswer.OTHER;
        }
        if (bytes.remaining() < HEADER) {
            return FirstAnswer.MORE;
        }
        int code = bytes.getInt(from + Integer.BYTES);
        boolean asksEncryption = code == SSL_REQUEST || code == GSS_REQUEST;
        if (asksEncryption && length == HEADER && bytes.remaining() == HEADER) {
            return FirstAnswer.reply(new byte[] {'N'});
        }
        if (!asksEncryption && code != CANCEL_REQUEST && !isVersion(code)) {
            return FirstAnswer.OTHER;
        }
        // A connection that is closed before all its bytes are read is reset, and the client may lose the refusal.
        return bytes.remaining() < length ? FirstAnswer.MORE : FirstAnswer.refusal(refusal());
    }

    /** Returns whether the bytes that have arrived can begin a first message. */
    private static boolean mayBeCode(ByteBuffer bytes) {
        int from = bytes.position();
        boolean isShort = bytes.get(from) == 0 && (bytes.remaining() < 2 || (bytes.get(from + 1) == 0));
        if (bytes.remaining() <= Integer.BYTES) {
            return isShort;
        }
        byte first = bytes.get(from + Integer.BYTES);
        return isShort && (first == 0 || first == (byte) (SSL_REQUEST >>> 24));
    }

    private static boolean isVersion(int code) {
        int major = code >>> 16;
        return major >= OLDEST_VERSION && major <= NEWEST_VERSION;
    }

    /** Returns an ErrorResponse. */
    private static byte[] refusal() {
        ByteArrayOutputStream fields = new ByteArrayOutputStream();
        for (String field : new String[] {"SFATAL", "VFATAL", "C08P01", "M" + REFUSAL}) {
            fields.writeBytes(field.getBytes(StandardCharsets.US_ASCII));
            fields.write(0);
        }
        fields.write(0);
        return ByteBuffer.allocate(1 + Integer.BYTES + fields.size())
                .put((byte) 'E')
                .putInt(Integer.BYTES + fields.size())
                .put(fields.toByteArray())
                .array();
    }
}
