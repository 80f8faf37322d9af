package io.multimed.middleware.communication;

import io.multimed.middleware.node.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.MessageType;
import io.multimed.protocol.WireReader;

/** A frame that came, not read yet, with the memory that is reserved for it. Owned by whoever holds it; given back once. */
final class Inbound {
    private final byte[] bytes;
    private final MemoryBudget budget;
    private long reserved;

    /**
     * @param bytes those after the length
     * @param reserved bytes of the budget that this frame holds
     */
    Inbound(byte[] bytes, MemoryBudget budget, long reserved) {
        this.bytes = bytes;
        this.budget = budget;
        this.reserved = reserved;
    }

    /** Those after the length. */
    byte[] bytes() {
        return bytes;
    }

    /** Whether it may overtake those before it. */
    boolean isCancel() {
        return bytes[0] == MessageType.CANCEL.code();
    }

    int sequence() {
        return Frame.sequence(bytes);
    }

    /**
     * Reads it.
     *
     * @param known whether its client is known
     * @param allowance for what is made of it
     */
    Frame read(boolean known, WireReader.Allowance allowance) {
        return Frame.decodeRequest(bytes, known, allowance);
    }

    /** Gives all of its memory back; again does nothing. */
    void release() {
        if (reserved > 0) {
            budget.give(reserved);
            reserved = 0;
        }
    }
}
