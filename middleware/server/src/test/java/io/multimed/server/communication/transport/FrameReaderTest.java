// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.wire.ProtocolException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Frames are assembled from bytes that arrive in any pieces, and memory is allocated or reserved only for bytes that
 * have arrived.
 */
class FrameReaderTest {
    private static final int MAX_FRAME = 64 << 20;

    private final MemoryBudget budget = new MemoryBudget(100 << 20);
    private final List<ReceivedFrame> frames = new ArrayList<>();

    private FrameReader reader(int most) {
        return new FrameReader(() -> most, budget);
    }

    private static ByteBuffer frame(int length) {
        byte[] body = new byte[length];
        Arrays.fill(body, (byte) length);
        return ByteBuffer.allocate(4 + length).putInt(length).put(body).flip();
    }

    private static long allocated() {
        return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean()).getCurrentThreadAllocatedBytes();
    }

    @Test
    void shouldReadFramesThatArriveInPieces() {
        Random random = new Random(3);
        ByteBuffer all = ByteBuffer.allocate(4 << 20);
        List<Integer> lengths = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            lengths.add(random.nextInt(5, i % 10 == 0 ? 100_000 : 300));
            all.put(frame(lengths.get(i)));
        }
        all.flip();
        FrameReader reader = reader(MAX_FRAME);
        while (all.hasRemaining()) {
            ByteBuffer part = all.slice(all.position(), Math.min(all.remaining(), random.nextInt(1, 5_000)));
            all.position(all.position() + part.remaining());
            assertThat(reader.read(part, frames::add)).isTrue();
        }
        assertThat(frames).hasSameSizeAs(lengths);
        for (int i = 0; i < frames.size(); i++) {
            int length = lengths.get(i);
            byte[] expected = new byte[length];
            Arrays.fill(expected, (byte) length);
            assertThat(frames.get(i).bytes()).isEqualTo(expected);
        }
        frames.forEach(ReceivedFrame::release);
        assertThat(budget.taken()).isZero();
    }

    @Test
    void shouldAllocateNothingForBytesThatWereNotReceived() {
        FrameReader reader = reader(MAX_FRAME);
        ByteBuffer head =
                ByteBuffer.allocate(10).putInt(MAX_FRAME - 1).put(new byte[6]).flip();
        long before = allocated();
        boolean room = reader.read(head, frames::add);
        long after = allocated();
        assertThat(room).isTrue();
        assertThat(after - before).isLessThan(1 << 20);
        assertThat(budget.taken()).isZero();
    }

    @Test
    void shouldReserveMemoryForReceivedBytesAndReleaseIt() {
        FrameReader reader = reader(MAX_FRAME);
        ByteBuffer bytes = frame(50 << 20);
        int half = 20 << 20;
        feed(reader, bytes, half);
        assertThat(budget.taken()).isBetween((long) half, 2L * half);
        reader.close();
        assertThat(budget.taken()).isZero();
        feed(reader, bytes, half);
        assertThat(budget.taken()).isZero();
        assertThat(frames).isEmpty();
    }

    private void feed(FrameReader reader, ByteBuffer from, int bytes) {
        for (int left = bytes; left > 0; left -= 64 << 10) {
            ByteBuffer part = from.slice(from.position(), 64 << 10);
            from.position(from.position() + (64 << 10));
            assertThat(reader.read(part, frames::add)).isTrue();
        }
    }

    @Test
    void shouldStopReadingWithoutMemoryAndContinueWithIt() {
        assertThat(budget.tryTake((100 << 20) - 40_000)).isTrue();
        FrameReader reader = reader(MAX_FRAME);
        ByteBuffer bytes = frame(60_000);
        assertThat(reader.read(bytes, frames::add)).isFalse();
        assertThat(bytes.hasRemaining()).isFalse();
        assertThat(reader.wanted()).isGreaterThanOrEqualTo(60_000);
        budget.give((100 << 20) - 40_000);
        assertThat(budget.tryTake(reader.wanted())).isTrue();
        assertThat(reader.goOn(frames::add)).isTrue();
        assertThat(frames).hasSize(1);
        assertThat(budget.taken()).isEqualTo(60_000);
        frames.get(0).release();
        frames.get(0).release();
        assertThat(budget.taken()).isZero();
    }

    @Test
    void shouldRefuseInvalidLengths() {
        for (int length : new int[] {Integer.MIN_VALUE, -1, 0, 4, FrameReader.FREE_BYTES + 1, Integer.MAX_VALUE}) {
            ByteBuffer head = ByteBuffer.allocate(4).putInt(length).flip();
            assertThatThrownBy(() -> reader(FrameReader.FREE_BYTES).read(head, frames::add))
                    .isInstanceOf(ProtocolException.class)
                    .hasMessageContaining("before the login");
        }
    }

    @Test
    void shouldReadRandomBytesInBoundedMemory() {
        Random random = new Random(5);
        long before = allocated();
        int rounds = 20_000;
        for (int i = 0; i < rounds; i++) {
            byte[] bytes = new byte[random.nextInt(1, 200)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                bytes[0] = 0;
                Arrays.fill(bytes, 1, Math.min(3, bytes.length), (byte) 0);
            }
            FrameReader reader = reader(MAX_FRAME);
            try {
                reader.read(ByteBuffer.wrap(bytes), ReceivedFrame::release);
            } catch (ProtocolException expected) {
                assertThat(expected.getMessage()).contains("a frame of");
            }
            reader.close();
        }
        assertThat(budget.taken()).isZero();
        assertThat((allocated() - before) / rounds).isLessThan(20_000);
    }
}
