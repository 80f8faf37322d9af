// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.mysql.connection;

import io.multimed.engine.wire.FirstAnswer;
import io.multimed.engine.wire.WireProtocol;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/** Refuses clients of MariaDB and MySQL, which send nothing before the server has greeted them. */
public final class MySqlWireProtocol implements WireProtocol {
    private static final String REFUSAL =
            "this port speaks the protocol of Multimed, not that of MariaDB or MySQL: use a URL of the form jdbc:multimed://host:port/database, or connect to the engine's own port";

    private static final int ERROR_PACKET = 0xff;

    /** ER_HANDSHAKE_ERROR, whose SQLState is 08S01. */
    private static final int ERROR_CODE = 1043;

    @Override
    public FirstAnswer answer(ByteBuffer bytes) {
        return FirstAnswer.OTHER;
    }

    /** Returns an ERR packet as before the handshake: without the SQLState, which clients know from the error code. */
    @Override
    public byte[] greeting() {
        byte[] message = REFUSAL.getBytes(StandardCharsets.US_ASCII);
        int length = 1 + Short.BYTES + message.length;
        return ByteBuffer.allocate(Integer.BYTES + length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(length) // three bytes, and the sequence number 0
                .put((byte) ERROR_PACKET)
                .putShort((short) ERROR_CODE)
                .put(message)
                .array();
    }
}
