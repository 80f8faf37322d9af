// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.writeset.Scn;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PublishedScnHistoryTest {
    private final PublishedScnHistory history = new PublishedScnHistory(Duration.ofSeconds(100));

    private long record(long published, int second) {
        return history.record(new Scn(published), TimeUnit.SECONDS.toNanos(second - 1_000))
                .value();
    }

    @Test
    void shouldDateEarlierScnsFromTheStart() {
        assertThat(record(5_000, 0)).isZero();
        assertThat(record(5_001, 99)).isZero();
        assertThat(record(5_002, 100)).isEqualTo(5_000);
    }

    @Test
    void shouldReturnTheNewestScnThatMayBeRemoved() {
        for (int second = 0; second < 1_000; second++) {
            long old = record(second * 10L, second);
            long exactly = (second - 100) * 10L;
            assertThat(old).isBetween(Math.max(0, exactly - 30), Math.max(0, exactly));
        }
        assertThat(record(9_999, 5_000)).isEqualTo(9_980);
        assertThat(record(9_999, 5_200)).isEqualTo(9_999);
    }
}
