// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dashboard;

import java.util.Map;

/**
 * The load of one interval.
 *
 * @param number ascending
 * @param millis end of the interval, by {@link System#currentTimeMillis}
 * @param seconds length of the interval
 * @param satelliteReads reads that satellites have answered
 * @param cacheReads reads that the result cache has answered
 * @param masterReads reads that the master has answered
 * @param commits transactions that were committed in groups
 * @param errors errors that clients have received
 * @param waits reads that have waited for freshness
 * @param waitMillis mean of these waits
 * @param all times of all statements
 * @param byPlace times of statements by the place that has answered them
 * @param onMaster statements on the master by the name of the reason
 * @param lagMillis how far each satellite is behind
 * @param clients connected clients
 */
record Sample(
        long number,
        long millis,
        double seconds,
        long satelliteReads,
        long cacheReads,
        long masterReads,
        long updates,
        long commits,
        long groups,
        long errors,
        long waits,
        double waitMillis,
        Times all,
        Map<String, Times> byPlace,
        Map<String, Long> onMaster,
        Map<String, Double> lagMillis,
        int clients) {
    /** Times in milliseconds. */
    record Times(long count, double median, double p99, double longest) {}
}
