package io.multimed.middleware.communication;

import io.multimed.middleware.node.MemoryBudget;
import io.multimed.protocol.WireReader;

/** What the values of one request take of the budget, while it is read and until it is answered. Owned by the session that handles it. */
final class RequestMemory implements WireReader.Allowance {
    private final MemoryBudget budget;

    /** What is reserved. */
    private long reserved;

    private long used;

    /** @param reserved what has been taken of the budget already */
    RequestMemory(MemoryBudget budget, long reserved) {
        this.budget = budget;
        this.reserved = reserved;
    }

    /** Others have what it needs. */
    static final class NoRoomException extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoRoomException() {
            super("no memory is free", null, false, false);
        }
    }

    @Override
    public void take(long bytes) {
        used += bytes;
        if (used > reserved) {
            if (!budget.tryTake(used - reserved)) {
                throw new NoRoomException();
            }
            reserved = used;
        }
    }

    /** What it will ask for at least. */
    long used() {
        return used;
    }

    /** Gives all back; again does nothing. */
    void release() {
        if (reserved > 0) {
            budget.give(reserved);
            reserved = 0;
        }
    }
}
