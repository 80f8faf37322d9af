package io.multimed.middleware.communication;

import io.multimed.middleware.node.MemoryBudget;
import io.multimed.protocol.Protocol;
import io.multimed.protocol.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Bytes to frames, of one connection. Nothing is allocated for a length that is only claimed: a frame's memory grows with the bytes that come, to twice of them at most. What is larger than
 * {@link #FREE_BYTES} is reserved in the budget that all connections share; where that has no room, {@link #read} stops and {@link #wanted} says how much must be reserved before it goes on.
 * Used by one thread at a time.
 */
final class FrameReader {
    /** A frame of so many bytes needs no reservation: every client may send as much, and those that are not known yet no more. */
    static final int FREE_BYTES = 8 << 10;

    private final IntSupplier maxFrame;
    private final MemoryBudget budget;
    private final byte[] lengthBytes = new byte[Protocol.LENGTH];
    private int lengthRead;

    /** Of the frame that is coming; 0 between two frames. */
    private int length;

    private byte[] body = new byte[0];
    private int received;
    private long reserved;
    private boolean closed;

    /** What came and had no room; null if nothing did. */
    private @Nullable ByteBuffer left;

    /** @param maxFrame bytes of a frame at most, asked when one begins */
    FrameReader(IntSupplier maxFrame, MemoryBudget budget) {
        this.maxFrame = maxFrame;
        this.budget = budget;
    }

    /**
     * Takes all bytes of a buffer. If there is no room for them, some are kept aside, and no more may come before {@link #goOn}.
     *
     * @return false if there is no room
     * @throws ProtocolException if they are not of the protocol
     */
    boolean read(ByteBuffer in, Consumer<Inbound> frames) {
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

    /** Goes on with what was kept aside, after {@link #wanted} bytes were reserved for this reader. */
    boolean goOn(Consumer<Inbound> frames) {
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

    /** How many bytes it waits for; 0 if it does not. */
    long wanted() {
        ByteBuffer kept = left;
        return kept == null ? 0 : wanted(nextCapacity(kept.remaining()));
    }

    /** Whether a frame has begun that holds memory of the budget. */
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

    /** The old bytes and the new ones are there at once. */
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

    private Inbound takeFrame() {
        Inbound frame = new Inbound(body, budget, reserved);
        reserved = 0;
        body = new byte[0];
        received = 0;
        length = 0;
        return frame;
    }

    /** Gives its memory back; what comes from now on is not read. */
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
