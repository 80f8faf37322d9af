package io.multimed.server.propagation.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.propagation.replication.SatelliteQueue.FellBehindException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A queue without a reader discards its groups: the queue neither grows without limit nor blocks the writers. */
@Timeout(600)
class SatelliteQueueTest {
    private static final int SIZE = 1_000;

    private final SatelliteQueue queue = new SatelliteQueue(10L * SIZE, 20L * SIZE);

    private void put(int scn) {
        queue.put(List.of(new WriteSet(new Scn(scn), List.of(), null, SIZE)), new Scn(scn));
    }

    @Test
    void shouldDeliverGroupsInOrder() throws Exception {
        for (int i = 1; i <= 5; i++) {
            put(i);
        }
        SatelliteQueue.Batch batch = queue.take(Scn.ZERO, 0);
        assertThat(batch.upTo()).isEqualTo(new Scn(5));
        assertThat(batch.writeSets())
                .extracting(writeSet -> writeSet.scn().value())
                .containsExactly(1L, 2L, 3L, 4L, 5L);
        assertThat(queue.take(new Scn(5), 0).upTo()).isEqualTo(new Scn(5));
    }

    @Test
    void shouldDiscardAllGroupsBeyondItsLimitAndReportIt() throws Exception {
        for (int i = 1; i <= 10_000; i++) {
            put(i);
        }
        assertThat(queue.age()).as("nothing waits").isZero();
        queue.awaitRoom(10_000);
        assertThatThrownBy(() -> queue.take(Scn.ZERO, 0))
                .isInstanceOf(FellBehindException.class)
                .hasMessageContaining("queue.drop-after");
    }
}
