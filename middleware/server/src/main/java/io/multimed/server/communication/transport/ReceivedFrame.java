// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.Frame;
import io.multimed.protocol.wire.MessageType;
import io.multimed.protocol.wire.WireReader;

/** A received frame, not decoded yet, and the memory reserved for it. Its owner releases it once. */
public final class ReceivedFrame {
    private final byte[] bytes;
    private final MemoryBudget budget;
    private long reserved;

    /**
     * @param bytes of the frame after the length
     * @param reserved bytes of the budget that this frame holds
     */
    public ReceivedFrame(byte[] bytes, MemoryBudget budget, long reserved) {
        this.bytes = bytes;
        this.budget = budget;
        this.reserved = reserved;
    }

    /** Returns the bytes after the length. */
    public byte[] bytes() {
        return bytes;
    }

    /** Returns whether the frame is a cancel request, which overtakes earlier requests. */
    public boolean isCancel() {
        return bytes[0] == MessageType.CANCEL.code();
    }

    public int sequence() {
        return Frame.sequence(bytes);
    }

    /**
     * Decodes the frame.
     *
     * @param known whether its client has logged in
     * @param allowance for the memory of the decoded message
     */
    public Frame read(boolean known, WireReader.Allowance allowance) {
        return Frame.decodeRequest(bytes, known, allowance);
    }

    /** Returns the number of bytes after the length. */
    public int length() {
        return bytes.length;
    }

    /** Reserves memory for a small frame, which has none yet and waits for its turn. */
    public void reserve() {
        if (reserved == 0) {
            reserved = bytes.length;
            budget.takeAnyway(reserved);
        }
    }

    /** Releases all of its memory; further calls have no effect. */
    public void release() {
        if (reserved > 0) {
            budget.give(reserved);
            reserved = 0;
        }
    }
}
