// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.observation;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.server.observation.PhaseClock.Segment;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The phases of a statement cover its time without gaps. */
class PhaseClockTest {
    @Test
    void recordsPhasesInTheirOrderWithoutGaps() {
        PhaseClock clock = PhaseClock.running();
        clock.begin();
        clock.enter(Phase.QUEUE);
        clock.enter(Phase.QUEUE);
        clock.enter(Phase.ENGINE);
        clock.enter(Phase.QUEUE);
        long end = clock.elapsed();
        List<Segment> segments = clock.segments(end);
        assertThat(segments)
                .extracting(Segment::phase)
                .containsExactly(Phase.CLASSIFY, Phase.QUEUE, Phase.ENGINE, Phase.QUEUE);
        assertThat(segments.get(0).begin()).isZero();
        for (int i = 1; i < segments.size(); i++) {
            assertThat(segments.get(i).begin()).isEqualTo(segments.get(i - 1).end());
        }
        assertThat(segments.get(3).end()).isEqualTo(end);
        assertThat(StatementReport.sums(segments).values().stream()
                        .mapToLong(each -> each)
                        .sum())
                .isEqualTo(end);
    }

    @Test
    void keepsABoundedNumberOfPhases() {
        PhaseClock clock = PhaseClock.running();
        clock.begin();
        for (int i = 0; i < 1_000; i++) {
            clock.enter(Phase.QUEUE);
            clock.enter(Phase.ENGINE);
        }
        assertThat(clock.segments(clock.elapsed())).hasSize(24);
        clock.begin();
        assertThat(clock.segments(clock.elapsed())).hasSize(1);
    }

    @Test
    void recordsNothingWhereNothingIsObserved() {
        PhaseClock.OFF.enter(Phase.ENGINE);
        assertThat(PhaseClock.OFF.segments(1)).isEmpty();
    }
}
