// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.engine.writeset.Scn;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class PublishedTimesTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final PublishedTimes times = new PublishedTimes(nanos::get);

    private long since(int seconds, long published) {
        return since(seconds, times.now(), published);
    }

    private long since(int seconds, long now, long published) {
        return times.since(Duration.ofSeconds(seconds), now, new Scn(published)).value();
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    @Test
    void shouldNeverReturnAnScnThatWasSupersededBeforeTheAge() {
        assertThat(since(30, 5)).as("nothing is known").isEqualTo(5);
        pass(10);
        assertThat(since(30, 9)).as("5 was current 10 seconds ago").isEqualTo(5);
        assertThat(since(5, 9)).isEqualTo(9);
        pass(25);
        assertThat(since(30, 20))
                .as("5 was current 35 seconds ago, 9 was 25 seconds ago")
                .isEqualTo(9);
        pass(40);
        assertThat(since(30, 30)).as("the last SCN that is known is too old").isEqualTo(30);
    }

    @Test
    void shouldCountTheAgeFromBeforeThePublishedScnWasRead() {
        long before = times.now();
        pass(30); // the thread waits; meanwhile 6 is published
        assertThat(since(10, before, 5)).isEqualTo(5);
        pass(5);
        assertThat(since(10, 7)).as("5 was superseded up to 35 seconds ago").isEqualTo(7);
    }

    @Test
    void shouldKeepABoundedNumberOfSamples() {
        for (int i = 1; i <= 10_000; i++) {
            pass(1);
            since(1, i);
        }
        assertThat(since(3_600, 10_001))
                .as("at most an hour, and at most 4,096 samples")
                .isEqualTo(6_400);
        pass(1);
        assertThat(since(5_000, 10_002)).as("the oldest sample that is kept").isBetween(5_900L, 5_910L);
    }
}
