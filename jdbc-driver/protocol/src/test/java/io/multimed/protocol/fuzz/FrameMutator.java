// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol.fuzz;

import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.Protocol;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Makes wrong frames from valid ones. The random numbers determine the result. Used by one thread.
 */
public final class FrameMutator {
    private static final List<MessageType> TYPES = List.of(MessageType.values());
    private static final int MAX_CHANGES = 4;
    private static final int[] SIZES = {
        Integer.MIN_VALUE,
        -1,
        0,
        1,
        4,
        5,
        6,
        127,
        128,
        8_192,
        8_193,
        16_384,
        65_536,
        1 << 20,
        64 << 20,
        Integer.MAX_VALUE
    };
    private static final byte[][] VARINTS = {
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07},
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f},
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x01},
        {(byte) 0x80, (byte) 0x80, (byte) 0x80, (byte) 0x80, 0x00},
        {(byte) 0xff, (byte) 0xff, 0x03},
        {0x00},
    };

    private final Random random;

    public FrameMutator(Random random) {
        this.random = random;
    }

    /**
     * Returns a changed copy.
     *
     * @param frame a frame with its length
     * @param others frames whose parts may be inserted
     */
    public byte[] mutated(byte[] frame, List<byte[]> others) {
        byte[] bytes = frame;
        for (int changes = random.nextInt(MAX_CHANGES); changes >= 0; changes--) {
            bytes = changed(bytes, others);
        }
        return withLength(bytes);
    }

    /** Returns random bytes. */
    public byte[] noise() {
        byte[] bytes = new byte[1 + random.nextInt(random.nextInt(20) == 0 ? 20_000 : 100)];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] changed(byte[] bytes, List<byte[]> others) {
        int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
        return switch (random.nextInt(9)) {
            case 0 -> replaced(bytes, at, new byte[] {(byte) random.nextInt()});
            case 1 -> replaced(bytes, at, new byte[] {(byte) (random.nextInt(5) - 2)});
            case 2 -> replaced(bytes, at, size());
            case 3 -> inserted(bytes, at, VARINTS[random.nextInt(VARINTS.length)]);
            case 4 -> replaced(bytes, at, VARINTS[random.nextInt(VARINTS.length)]);
            case 5 -> inserted(bytes, at, part(others.get(random.nextInt(others.size()))));
            case 6 -> removed(bytes, at, random.nextInt(1 + Math.min(40, bytes.length - at)));
            case 7 -> Arrays.copyOf(bytes, at);
            default ->
                replaced(bytes, Protocol.LENGTH, new byte[] {(byte) anyType().code()});
        };
    }

    private MessageType anyType() {
        return TYPES.get(random.nextInt(TYPES.size()));
    }

    private byte[] size() {
        return ByteBuffer.allocate(4)
                .putInt(SIZES[random.nextInt(SIZES.length)])
                .array();
    }

    private byte[] part(byte[] of) {
        int from = random.nextInt(of.length);
        return Arrays.copyOfRange(of, from, from + random.nextInt(of.length - from + 1));
    }

    private static byte[] replaced(byte[] bytes, int at, byte[] by) {
        byte[] result = bytes.clone();
        for (int i = 0; i < by.length && at + i < result.length; i++) {
            result[at + i] = by[i];
        }
        return result;
    }

    private static byte[] inserted(byte[] bytes, int at, byte[] more) {
        return ByteBuffer.allocate(bytes.length + more.length)
                .put(bytes, 0, at)
                .put(more)
                .put(bytes, at, bytes.length - at)
                .array();
    }

    private static byte[] removed(byte[] bytes, int at, int count) {
        return ByteBuffer.allocate(bytes.length - count)
                .put(bytes, 0, at)
                .put(bytes, at + count, bytes.length - at - count)
                .array();
    }

    /** Mostly corrects the length: otherwise the content would never be decoded. */
    private byte[] withLength(byte[] bytes) {
        if (bytes.length < Protocol.LENGTH || random.nextInt(8) == 0) {
            return bytes;
        }
        int length = bytes.length - Protocol.LENGTH;
        return replaced(
                bytes,
                0,
                ByteBuffer.allocate(4)
                        .putInt(random.nextInt(20) == 0 ? length + random.nextInt(-9, 10) : length)
                        .array());
    }
}
