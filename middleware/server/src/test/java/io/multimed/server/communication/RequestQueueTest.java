// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.wire.ProtocolException;
import io.multimed.server.communication.transport.ReceivedFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that a session handles one request at a time, in order, and none after its end. */
class RequestQueueTest {
    private static final int LIMIT = 1_000;

    private final MemoryBudget memory = new MemoryBudget(1 << 20);
    private final RequestQueue queue = new RequestQueue(LIMIT, () -> {});
    private final AtomicInteger released = new AtomicInteger();

    private ReceivedFrame frame(int sequence) {
        return frame(sequence, 5);
    }

    private ReceivedFrame frame(int sequence, int size) {
        byte[] bytes = ByteBuffer.allocate(size).put((byte) 0).putInt(sequence).array();
        return new ReceivedFrame(bytes, memory, 0);
    }

    private ReceivedFrame next() {
        return queue.next(released::incrementAndGet);
    }

    @Test
    void shouldHandleRequestsOneAtATimeInTheOrderOfArrival() {
        assertThat(queue.beginOrWait(frame(1))).isTrue();
        assertThat(queue.beginOrWait(frame(2))).isFalse();
        assertThat(queue.beginOrWait(frame(3))).isFalse();
        assertThat(next().sequence()).isEqualTo(2);
        assertThat(next().sequence()).isEqualTo(3);
        assertThat(next()).isNull();
        assertThat(queue.beginOrWait(frame(4))).as("idle again").isTrue();
        assertThat(released).hasValue(0);
    }

    @Test
    void shouldRefuseAClientThatSendsTooManyRequestsAhead() {
        assertThat(queue.beginOrWait(frame(0))).isTrue();
        for (int i = 1; i <= 64; i++) {
            queue.beginOrWait(frame(i));
        }
        ReceivedFrame last = frame(65);
        assertThatThrownBy(() -> queue.beginOrWait(last))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("64 requests");
    }

    /** One request larger than the limit is accepted: it may follow a small one, whose answer the client awaits. */
    @Test
    void shouldRefuseAClientThatSendsTooMuchAhead() {
        assertThat(queue.beginOrWait(frame(0))).isTrue();
        assertThat(queue.beginOrWait(frame(1, LIMIT + 1))).isFalse();
        ReceivedFrame last = frame(2);
        assertThatThrownBy(() -> queue.beginOrWait(last))
                .isInstanceOf(ProtocolException.class)
                .hasMessageContaining("1000 bytes of requests sent ahead")
                .hasMessageContaining("listen.limits.queued-per-client");
        queue.disconnect();
        queue.beginClosing();
        assertThat(memory.taken()).isZero();
    }

    @Test
    void shouldCountTheMemoryOfRequestsThatWait() {
        queue.beginOrWait(frame(0));
        for (int round = 0; round < 10; round++) {
            queue.beginOrWait(frame(1, LIMIT));
            assertThat(memory.taken()).isEqualTo(LIMIT);
            ReceivedFrame next = next();
            next.release();
            assertThat(memory.taken()).isZero();
        }
    }

    @Test
    void shouldReleaseTheResourcesAfterTheRunningRequestWhenTheClientDisconnects() {
        queue.beginOrWait(frame(1));
        queue.beginOrWait(frame(2));
        assertThat(queue.disconnect()).as("a request is running").isTrue();
        assertThat(queue.isOver()).isTrue();
        assertThat(next()).as("the request that was sent ahead").isNull();
        assertThat(released).hasValue(1);
        assertThat(queue.beginClosing()).isTrue();
        assertThat(queue.beginClosing()).as("again").isFalse();
    }

    @Test
    void shouldLetTheCallerReleaseTheResourcesOfAnIdleSession() {
        assertThat(queue.disconnect()).isFalse();
        assertThat(queue.beginOrWait(frame(1))).as("after the end").isFalse();
        assertThat(queue.refuse()).as("a session that is over stays busy").isTrue();
    }

    @Test
    void shouldClaimOnlyASessionThatHasBeenIdleForLong() {
        assertThat(queue.claimIfIdle(() -> 0)).as("no limit").isFalse();
        assertThat(queue.claimIfIdle(() -> Long.MAX_VALUE)).isFalse();
        queue.beginOrWait(frame(1));
        assertThat(queue.claimIfIdle(() -> {
                    throw new IllegalStateException("asked although a request is being handled");
                }))
                .isFalse();
        assertThat(next()).isNull();
        assertThat(queue.claimIfIdle(() -> 1)).isTrue();
        assertThat(queue.beginOrWait(frame(2))).as("while it is claimed").isFalse();
        assertThat(next().sequence()).isEqualTo(2);
    }

    @Test
    void shouldRunActionsAtTheEndAndImmediatelyAfterwards() {
        AtomicInteger ran = new AtomicInteger();
        queue.whenEnded(ran::incrementAndGet);
        assertThat(ran).hasValue(0);
        queue.end();
        assertThat(ran).hasValue(1);
        queue.whenEnded(ran::incrementAndGet);
        assertThat(ran).hasValue(2);
        queue.end();
        assertThat(ran).as("each action once").hasValue(2);
    }
}
