// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.multimed.deploy.evaluation.figure.Bounds;
import io.multimed.deploy.evaluation.figure.Point;
import io.multimed.deploy.evaluation.figure.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests the order of the points of the figure of service times, and their expected duration. */
class DemandsPlanTest {
    private static final int MIXES = 3;

    private static Scope full(Bounds bounds) {
        return new Scope(false, 2, List.of("postgresql"), bounds);
    }

    private static List<Point> points(Scope scope) throws Exception {
        return new DemandsFigure().points(scope);
    }

    private static int seconds(Scope scope) throws Exception {
        return points(scope).stream().mapToInt(Point::seconds).sum();
    }

    /** A system is cold at its first point only, and the points that check the model do not warm it up. */
    @Test
    void shouldMeasureThePointsThatFeedTheModelFirst() throws Exception {
        List<Point> points = points(full(Bounds.NONE));
        for (int satellites : List.of(0, 1, 2)) {
            List<DemandsPoint> own = points.stream()
                    .filter(DemandsPoint.class::isInstance)
                    .map(DemandsPoint.class::cast)
                    .filter(point -> point.satellites() == satellites)
                    .toList();
            assertThat(own.subList(0, MIXES)).allMatch(DemandsPoint::demand).allMatch(point -> point.clients() == 4);
            assertThat(own.stream().filter(DemandsPoint::first)).hasSize(satellites == 1 ? 0 : 1);
            assertThat(own.get(0).first()).isEqualTo(satellites != 1);
            assertThat(own).filteredOn(point -> !point.demand()).noneMatch(point -> point.clients() == 4);
        }
        assertThat(points.stream().map(Point::key)).doesNotHaveDuplicates();
        assertThat(points).filteredOn(SatellitePoint.class::isInstance).hasSize(1);
    }

    @Test
    void shouldExpectWhatIsMeasured() throws Exception {
        LoadPlan plan = LoadPlan.of(full(Bounds.NONE));
        assertThat(plan).isEqualTo(new LoadPlan(30, 1, 1, 5, 3));
        assertThat(plan.warmup(true, MIXES)).isEqualTo(10);
        assertThat(plan.warmup(false, MIXES)).isZero();
        Scope scope = full(Bounds.NONE);
        int later = plan.expected(false, MIXES, scope);
        assertThat(later).isEqualTo(1 + 3 * (1 + 5));
        assertThat(plan.expected(true, MIXES, scope) - later).isGreaterThanOrEqualTo(30);
        assertThat(plan.expectedInTurns()).isGreaterThanOrEqualTo(2 * 3 * (1 + 1 + 5));
        assertThat(seconds(scope)).as("about 15 minutes").isBetween(13 * 60, 16 * 60);
    }

    @Test
    void shouldExpectLessWithTheBoundsOfTheUser() throws Exception {
        Scope bounded = full(new Bounds(1, 1, 0, List.of(), List.of()));
        assertThat(LoadPlan.of(bounded)).isEqualTo(new LoadPlan(0, 0, 1, 1, 1));
        assertThat(seconds(bounded)).isLessThan(seconds(full(Bounds.NONE)) / 3);
        assertThat(seconds(new Scope(true, 2, List.of("postgresql")))).isLessThan(30);
    }

    @Test
    void shouldNameTheSectionsOfThePaper() {
        assertThat(new DemandsFigure().published())
                .contains("capture by triggers can become a bottleneck (5.4)")
                .contains("overhead is latency (5.1)")
                .contains("communication costs very little", "(5.4)");
    }
}
