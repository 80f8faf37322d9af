// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.wire.WireReader;

/**
 * The memory of the budget that the values of one request hold, from its decoding until its answer. Owned by the
 * session that handles the request.
 */
final class RequestMemory implements WireReader.Allowance {
    private final MemoryBudget budget;

    /** Reserved bytes. */
    private long reserved;

    private long used;

    /** @param reserved bytes already taken from the budget */
    RequestMemory(MemoryBudget budget, long reserved) {
        this.budget = budget;
        this.reserved = reserved;
    }

    /** The budget has no room at present. */
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

    /** Returns the bytes that the request needs at least. */
    long used() {
        return used;
    }

    /** Releases all memory; further calls have no effect. */
    void release() {
        if (reserved > 0) {
            budget.give(reserved);
            reserved = 0;
        }
    }
}
