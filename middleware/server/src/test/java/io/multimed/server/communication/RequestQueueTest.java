package io.multimed.server.communication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.memory.MemoryBudget;
import io.multimed.protocol.wire.ProtocolException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that a session handles one request at a time, in order, and none after its end. */
class RequestQueueTest {
    private final RequestQueue queue = new RequestQueue();
    private final AtomicInteger released = new AtomicInteger();

    private static ReceivedFrame frame(int sequence) {
        byte[] bytes = ByteBuffer.allocate(5).put((byte) 0).putInt(sequence).array();
        return new ReceivedFrame(bytes, new MemoryBudget(1 << 10), 0);
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
