// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.postgresql;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class SessionTimesTest {
    private static final SessionTimes BEFORE =
            new SessionTimes(1_000, Map.of("1", 9_000_000L, "2", 100_000L), Map.of("1", 0L, "2", 50_000L));

    @Test
    void shouldFindTheSessionThatHasRunLongestSinceTheMoment() {
        SessionTimes after = new SessionTimes(
                2_000_001_000L,
                Map.of("1", 9_100_000L, "2", 1_100_000L, "3", 200_000L),
                Map.of("1", 0L, "2", 550_000L, "3", 0L));
        assertThat(after.busiestSince(BEFORE)).isEqualTo(new SessionTimes.Share(50, 25));
    }

    @Test
    void shouldCountSessionsThatHaveBegunSince() {
        SessionTimes after = new SessionTimes(2_000_001_000L, Map.of("3", 2_000_000L), Map.of("3", 0L));
        assertThat(after.busiestSince(BEFORE)).isEqualTo(new SessionTimes.Share(100, 0));
    }

    @Test
    void shouldReturnZeroIfNoSessionHasRun() {
        SessionTimes after = new SessionTimes(2_000_001_000L, BEFORE.ran(), BEFORE.waited());
        assertThat(after.busiestSince(BEFORE)).isEqualTo(new SessionTimes.Share(0, 0));
    }
}
