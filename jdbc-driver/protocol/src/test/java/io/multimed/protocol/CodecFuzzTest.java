// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.multimed.protocol.fuzz.FrameMutator;
import io.multimed.protocol.fuzz.FuzzOptions;
import io.multimed.protocol.wire.Message;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.protocol.wire.WireReader;
import io.multimed.protocol.wire.WireWriter;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random changes of every message of the protocol: each is decoded, or refused by a protocol exception, within a memory
 * that its size bounds. What was decoded and encoded again is decoded to the same.
 */
@Timeout(3_600)
class CodecFuzzTest {
    /** For the objects of one decoding that do not depend on the input. */
    private static final long FIXED_BYTES = 64 << 10;

    /** The smallest element of a list has one byte, and needs about this memory, twice while the list grows. */
    private static final long BYTES_PER_BYTE = 400;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final List<byte[]> frames = CodecTest.messages()
            .map(message -> Frame.encode(42, message, new WireWriter()))
            .toList();

    @Test
    void decodesOrRefusesEveryInputWithinABoundedMemory() {
        int decoded = 0;
        for (int i = 0; i < FuzzOptions.inputsOfEach(); i++) {
            long seed = FuzzOptions.seed() + i;
            try {
                decoded += isAccepted(input(seed), seed) ? 1 : 0;
            } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
                throw new AssertionError("-Dmultimed.fuzz.inputs=2 -Dmultimed.fuzz.seed=" + seed, e);
            }
        }
        System.out.printf(
                "codec: %d inputs from seed %d, %d of them decoded%n",
                FuzzOptions.inputsOfEach(), FuzzOptions.seed(), decoded);
        assertThat(decoded)
                .as("inputs that were decoded: without them only the header was tested")
                .isBetween(FuzzOptions.inputsOfEach() / 20, FuzzOptions.inputsOfEach() * 19 / 20);
    }

    /** The bytes after the length. */
    private byte[] input(long seed) {
        Random random = new Random(seed);
        FrameMutator mutator = new FrameMutator(random);
        byte[] bytes = random.nextInt(20) == 0
                ? mutator.noise()
                : mutator.mutated(frames.get(random.nextInt(frames.size())), frames);
        byte[] content = Arrays.copyOfRange(bytes, Math.min(Protocol.LENGTH, bytes.length), bytes.length);
        return content.length < Protocol.HEADER ? Arrays.copyOf(content, Protocol.HEADER) : content;
    }

    private static boolean isAccepted(byte[] input, long seed) {
        long most = FIXED_BYTES + 2 * BYTES_PER_BYTE * input.length;
        if (allocatedFor(input) > most) { // the first time, classes may have been loaded
            assertThat(allocatedFor(input))
                    .as("bytes allocated for an input of %d bytes, seed %d", input.length, seed)
                    .isLessThanOrEqualTo(most);
        }
        Message asMessage = message(input);
        checkAgain(request(input), seed);
        checkAgain(asMessage, seed);
        return asMessage != null;
    }

    private static long allocatedFor(byte[] input) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        request(input);
        message(input);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static void checkAgain(@Nullable Message message, long seed) {
        if (message != null) {
            byte[] once = Frame.encode(1, message, new WireWriter());
            byte[] again = Frame.encode(
                    1,
                    Frame.decode(Arrays.copyOfRange(once, Protocol.LENGTH, once.length))
                            .message(),
                    new WireWriter());
            assertThat(again).as("encoded again, seed %d", seed).isEqualTo(once);
        }
    }

    private static @Nullable Message request(byte[] input) {
        try {
            return Frame.decodeRequest(input, input.length % 2 == 0, WireReader.Allowance.UNBOUNDED)
                    .message();
        } catch (ProtocolException e) {
            return null;
        }
    }

    private static @Nullable Message message(byte[] input) {
        try {
            return Frame.decode(input).message();
        } catch (ProtocolException e) {
            return null;
        }
    }
}
