// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * One measurement of one operation.
 *
 * @param seconds measured time
 * @param nanos response times of the successful operations
 * @param errors number of failed operations, including those of the warm-up
 * @param errorTexts the first different messages
 * @param cpuMicros CPU time of each group of processes, in microseconds; empty if unknown
 * @param cpuOperations operations during the time that {@code cpuMicros} covers, which is slightly longer than the
 *     measured time, because the times of many processes are not read in a moment
 */
record Sample(
        double seconds,
        Histogram nanos,
        long errors,
        List<String> errorTexts,
        Map<String, Long> cpuMicros,
        long cpuOperations) {
    double rate() {
        return nanos.getTotalCount() / seconds;
    }
}
