// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.foreign;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.wire.FirstAnswer;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No frame is taken for a message of another protocol, and no bytes cause a failure. ForeignClientTest has clients. */
@Tag("exhaustive")
class ForeignProtocolsTest {
    private static final int MAX_BYTES = 9_000;

    @Test
    void shouldRecognizeNoFrame() {
        for (MessageType type : MessageType.values()) {
            for (int length = Protocol.HEADER; length < MAX_BYTES; length++) {
                ByteBuffer frame = ByteBuffer.allocate(Protocol.LENGTH + Protocol.HEADER)
                        .putInt(length)
                        .put((byte) type.code())
                        .putInt(length % 7)
                        .flip();
                while (frame.remaining() > Protocol.LENGTH) {
                    assertThat(ForeignProtocols.answer(frame).kind())
                            .as("%s of %d bytes, of which %d have arrived", type, length, frame.remaining())
                            .isEqualTo(
                                    type.code() == 4 && frame.remaining() < 8 && length >= 8 && length <= 8 << 10
                                            ? FirstAnswer.Kind.MORE
                                            : FirstAnswer.Kind.OTHER);
                    frame.limit(frame.limit() - 1);
                }
            }
        }
    }

    @Test
    void shouldDecideAboutAnyBytes() {
        Random random = new Random(7);
        for (int i = 0; i < 100_000; i++) {
            byte[] bytes = new byte[random.nextInt(1, 20)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                Arrays.fill(bytes, 0, Math.min(3, bytes.length), (byte) 0);
            }
            ByteBuffer first = ByteBuffer.wrap(bytes);
            FirstAnswer answer = ForeignProtocols.answer(first);
            assertThat(first.remaining()).isEqualTo(bytes.length);
            assertThat(answer.bytes().length > 0)
                    .isEqualTo(answer.kind() == FirstAnswer.Kind.REPLY || answer.kind() == FirstAnswer.Kind.REFUSAL);
        }
    }

    @Test
    void shouldGreetInTheFormThatTheDriverSkips() {
        ByteBuffer greeting = ByteBuffer.wrap(ForeignProtocols.greeting());
        assertThat(Protocol.greetingLength(greeting.getInt())).isEqualTo(greeting.remaining());
        assertThat(greeting.get() & 0xff).isEqualTo(Protocol.GREETING);
        for (int other : new int[] {5, 300, Protocol.DEFAULT_MAX_FRAME >>> 3, 0x16030300, 0x1503, 0x15030300, -1, 0}) {
            assertThat(Protocol.greetingLength(other)).as("%x", other).isZero();
        }
    }
}
