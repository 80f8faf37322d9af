// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.server.communication.foreign.FirstBytes;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.mina.core.session.DummySession;
import org.junit.jupiter.api.Test;

/** A connection whose request arrives slowly is ended, but only after it had time to arrive. */
class FrameReceiverTest {
    private static final int LENGTH = 1 << 20;

    private final MemoryBudget budget = new MemoryBudget(100 << 20);
    private final List<ReceivedFrame> frames = new ArrayList<>();
    private final List<String> ends = new ArrayList<>();
    private final FrameReceiver receiver = new FrameReceiver(
            new DummySession(),
            frames::add,
            (sqlState, why) -> ends.add(sqlState + " " + why),
            new FirstBytes(new DummySession(), unsent -> {}),
            new FrameReader(() -> LENGTH, budget),
            budget,
            Runnable::run);

    /** The periodic look may come while the first request of a connection has just begun to arrive. */
    @Test
    void shouldGiveTheFirstRequestTimeToArrive() {
        receiver.received(ByteBuffer.allocate(30_000).putInt(LENGTH).rewind());
        receiver.checkLimits();
        assertThat(ends).isEmpty();
        receiver.received(ByteBuffer.allocate(LENGTH + 4 - 30_000));
        assertThat(frames).hasSize(1);
    }
}
