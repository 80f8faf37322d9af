// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.deploy.evaluation.figure.Scope;

/**
 * The duration of the load of a point. The expected duration of a point follows from the same numbers.
 *
 * @param cold seconds in which a system that has just been started runs all mixes, one after the other
 * @param warm seconds in which each measurement runs its own work, without a reading
 * @param ramp seconds at the beginning of a round that count for CPU times, but not for the throughput
 * @param seconds of a round after the ramp
 */
record LoadPlan(int cold, int warm, int ramp, int seconds, int rounds) {
    private static final int START_SECONDS = 10;
    private static final int QUICK_START_SECONDS = 2;

    /** Seconds of a change of the number of satellites, which copies the master, for small data. */
    private static final int CHANGE_SECONDS = 3;

    static LoadPlan of(Scope scope) {
        int shortest = scope.choose(0, 1);
        return new LoadPlan(
                scope.warmupSeconds(),
                Math.min(shortest, scope.warmupSeconds()),
                shortest,
                scope.roundSeconds(),
                scope.rounds());
    }

    /** Returns the seconds of warm-up with each of some mixes, of a system that is cold or not. */
    int warmup(boolean isCold, int mixes) {
        return isCold ? cold / mixes : 0;
    }

    private int round() {
        return ramp + seconds;
    }

    /**
     * Returns the expected seconds of a point on one system.
     *
     * @param isFirst whether the point starts the system
     */
    int expected(boolean isFirst, int mixes, Scope scope) {
        int start = isFirst ? scope.choose(QUICK_START_SECONDS, START_SECONDS) + mixes * warmup(true, mixes) : 0;
        return start + warm + rounds * round();
    }

    /** Returns the expected seconds of a point that measures two systems in turns. */
    int expectedInTurns() {
        return 2 * rounds * (warm + round()) + rounds * CHANGE_SECONDS;
    }
}
