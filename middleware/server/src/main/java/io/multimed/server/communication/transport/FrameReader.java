// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.wire.Protocol;
import io.multimed.protocol.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Assembles the frames of one connection. Allocates no memory for bytes that have not arrived: a frame's buffer grows
 * with the received bytes, to at most twice their number. A frame larger than {@link #FREE_BYTES} reserves its memory
 * in the budget that all connections share. If the budget has no room, {@link #read} stops, and {@link #wanted} returns
 * the number of bytes to reserve before it can continue. Used by one thread at a time.
 */
final class FrameReader {
    /** Frames up to this size need no reservation. Before the login, this is the maximum frame size. */
    static final int FREE_BYTES = 8 << 10;

    private final IntSupplier maxFrame;
    private final MemoryBudget budget;
    private final byte[] lengthBytes = new byte[Protocol.LENGTH];
    private int lengthRead;

    /** Length of the current frame; 0 between two frames. */
    private int length;

    private byte[] body = new byte[0];
    private int received;
    private long reserved;
    private boolean closed;

    /** Received bytes that had no room; null if there are none. */
    private @Nullable ByteBuffer left;

    /** @param maxFrame returns the maximum size of a frame in bytes; called at the start of each frame */
    FrameReader(IntSupplier maxFrame, MemoryBudget budget) {
        this.maxFrame = maxFrame;
        this.budget = budget;
    }

    /**
     * Consumes all bytes of a buffer. If there is no room for them, keeps the rest, and must not be called again before
     * {@link #goOn}.
     *
     * @return false if there is no room
     * @throws ProtocolException if the bytes violate the protocol
     */
    boolean read(ByteBuffer in, Consumer<ReceivedFrame> frames) {
        while (in.hasRemaining() && !closed) {
            if (length == 0) {
                readLength(in);
            } else if (!readBody(in)) {
                left = ByteBuffer.allocate(in.remaining()).put(in).flip();
                return false;
            }
            if (length > 0 && received == length) {
                frames.accept(takeFrame());
            }
        }
        return true;
    }

    /** Keeps bytes that were received before the socket was no longer read, behind those that had no room. */
    void keep(ByteBuffer in) {
        ByteBuffer kept = left;
        if (kept != null && !closed) {
            left = ByteBuffer.allocate(kept.remaining() + in.remaining())
                    .put(kept)
                    .put(in)
                    .flip();
        }
    }

    /** Continues with the kept bytes, after {@link #wanted} bytes were reserved for this reader. */
    boolean goOn(Consumer<ReceivedFrame> frames) {
        ByteBuffer kept = left;
        if (kept == null || closed) {
            return true;
        }
        left = null;
        int capacity = nextCapacity(kept.remaining());
        reserved += wanted(capacity);
        grow(capacity);
        return read(kept, frames);
    }

    /** Returns the number of bytes that it waits for; 0 if it does not wait. */
    long wanted() {
        ByteBuffer kept = left;
        return kept == null ? 0 : wanted(nextCapacity(kept.remaining()));
    }

    /** Whether a frame is in progress that holds memory of the budget. */
    boolean isInLargeFrame() {
        return reserved > 0;
    }

    private void readLength(ByteBuffer in) {
        while (in.hasRemaining() && lengthRead < Protocol.LENGTH) {
            lengthBytes[lengthRead++] = in.get();
        }
        if (lengthRead < Protocol.LENGTH) {
            return;
        }
        int claimed = ByteBuffer.wrap(lengthBytes).getInt();
        int most = maxFrame.getAsInt();
        if (claimed < Protocol.HEADER || claimed > most) {
            throw new ProtocolException("a frame of %d bytes; this server takes 5 to %d%s"
                    .formatted(claimed, most, most == FREE_BYTES ? " before the login" : " (listen.max-frame)"));
        }
        lengthRead = 0;
        length = claimed;
    }

    /** Returns false if there is no room. */
    private boolean readBody(ByteBuffer in) {
        int now = Math.min(in.remaining(), length - received);
        if (received + now > body.length && !tryGrow(nextCapacity(now))) {
            return false;
        }
        in.get(body, received, now);
        received += now;
        return true;
    }

    private int nextCapacity(int more) {
        long doubled = Math.max(2L * body.length, (long) received + more);
        return (int) Math.min(length, doubled);
    }

    /** Counts the old and the new buffer, which coexist during the copy. */
    private long wanted(int capacity) {
        return capacity <= FREE_BYTES ? 0 : (long) capacity + body.length - reserved;
    }

    private boolean tryGrow(int capacity) {
        long wanted = wanted(capacity);
        if (wanted > 0 && !budget.tryTake(wanted)) {
            return false;
        }
        reserved += Math.max(0, wanted);
        grow(capacity);
        return true;
    }

    private void grow(int capacity) {
        body = Arrays.copyOf(body, capacity);
        long needed = capacity <= FREE_BYTES ? 0 : capacity;
        if (reserved > needed) {
            budget.give(reserved - needed);
            reserved = needed;
        }
    }

    private ReceivedFrame takeFrame() {
        ReceivedFrame frame = new ReceivedFrame(body, budget, reserved);
        reserved = 0;
        body = new byte[0];
        received = 0;
        length = 0;
        return frame;
    }

    /** Releases its memory and ignores all further bytes. */
    void close() {
        closed = true;
        left = null;
        body = new byte[0];
        long held = reserved;
        reserved = 0;
        if (held > 0) {
            budget.give(held);
        }
    }
}
