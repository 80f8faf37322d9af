// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.multimed.deploy.evaluation.capacity.MeasuredLoad.Reading;
import io.multimed.deploy.evaluation.capacity.MeasuredLoad.Round;
import io.multimed.tpcw.run.Spread;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

/** Tests how a round follows from readings, and what further satellites cost. */
class MeasuredLoadTest {
    private static final Offset<Double> EQUAL = within(1e-12);
    private static final long SECOND = 1_000_000_000;

    private static Reading reading(long seconds, long completed, long errors) {
        return new Reading(seconds * SECOND, completed, completed / 5, completed * 2_000_000, errors);
    }

    /** The CPU time is that of all interactions, the throughput that of the time without ramp and end. */
    @Test
    void shouldRelateCpuTimesToAllInteractions() throws Exception {
        Round round = Round.of(
                reading(10, 1_000, 3),
                reading(11, 1_090, 3),
                reading(16, 1_590, 3),
                reading(18, 1_600, 3),
                Map.of("master", 1.2),
                null);
        assertThat(round.throughput()).isEqualTo(100, EQUAL);
        assertThat(round.cpu("master")).isEqualTo(0.002, EQUAL);
        assertThat(round.cpu("none")).isZero();
        assertThat(round.updates()).isEqualTo(0.2, EQUAL);
        assertThat(round.response()).isEqualTo(0.002, EQUAL);
    }

    /** Failed interactions need CPU time, too, but do not complete. */
    @Test
    void shouldRefuseARoundWithFailedInteractions() {
        assertThatThrownBy(() -> Round.of(
                        reading(10, 1_000, 3),
                        reading(11, 1_090, 3),
                        reading(16, 1_590, 4),
                        reading(18, 1_600, 5),
                        Map.of("master", 1.2),
                        new SQLException("the disk is full")))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("2 interactions failed and 600 completed in a round")
                .hasMessageContaining("the first error: the disk is full");
        assertThatThrownBy(() -> Round.of(
                        reading(10, 7, 0), reading(11, 7, 0), reading(16, 7, 0), reading(18, 7, 0), Map.of(), null))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("no interaction has completed");
    }

    private static Round round(double middleware, double satellites) {
        return new Round(100, 0.01, 0.5, Map.of("middleware", middleware, "satellites", satellites));
    }

    /** Differences of neighbouring rounds keep their sign. */
    @Test
    void shouldSubtractRoundsThatFollowEachOther() {
        Map<String, Spread> added = SatellitePoint.added(
                List.of(round(0.010, 0.02), round(0.020, 0.03), round(0.030, 0.04)),
                List.of(round(0.011, 0.01), round(0.019, 0.02), round(0.026, 0.03)));
        Spread middleware = added.get("middleware");
        assertThat(middleware.min()).isEqualTo(-0.002, EQUAL);
        assertThat(middleware.median()).isEqualTo(0.002, EQUAL);
        assertThat(middleware.max()).isEqualTo(0.008, EQUAL);
        assertThat(added.get("satellites").median()).isEqualTo(0.02, EQUAL);
    }

    @Test
    void shouldKeepTheSpreadOfTheRounds() {
        Measurement measured = Measurement.of(
                Work.Part.UPDATES, 2, 4, List.of(round(0.010, 0.02), round(0.030, 0.02), round(0.020, 0.02)), true);
        assertThat(measured.cpu("middleware")).isEqualTo(new Spread(0.010, 0.020, 0.030));
        assertThat(measured.values())
                .filteredOn(value -> value.series().equals("middleware"))
                .singleElement()
                .satisfies(value -> assertThat(value.spread().max()).isEqualTo(30, within(1e-9)));
    }
}
