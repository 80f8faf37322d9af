// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import io.multimed.tpcw.interaction.InteractionType;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * Results of one target.
 *
 * @param rounds results of each round
 * @param reports number of reports that were read beside the pages, in measured time
 * @param interactions response times of all rounds together
 * @param series web interactions per second over time, all rounds one after the other
 * @param seriesStep seconds between two values of the series
 * @param errorTexts the messages of the first errors
 */
public record RunReport(
        Target target,
        RunOptions options,
        List<Round> rounds,
        long errors,
        long retries,
        long reports,
        Map<InteractionType, Latency> interactions,
        List<Double> series,
        double seriesStep,
        List<String> errorTexts) {
    /**
     * Results of one measured interval.
     *
     * @param wips web interactions per second
     * @param reports reports per second that were read beside the pages
     * @param pages response times of the interactions that ended in the interval
     * @param interactions the same for each type
     */
    public record Round(double wips, double reports, Latency pages, Map<InteractionType, Latency> interactions) {
        public Round {
            interactions = Map.copyOf(interactions);
        }
    }

    /** Response times in milliseconds; all are 0 if the count is 0. */
    public record Latency(long count, double p50, double p90, double p99, double mean) {
        /** Converts a histogram of microseconds. */
        static Latency of(Histogram micros) {
            return new Latency(
                    micros.getTotalCount(),
                    micros.getValueAtPercentile(50) / 1e3,
                    micros.getValueAtPercentile(90) / 1e3,
                    micros.getValueAtPercentile(99) / 1e3,
                    micros.getTotalCount() == 0 ? 0 : micros.getMean() / 1e3);
        }
    }

    /** Returns the web interactions per second of each round. */
    public List<Double> wips() {
        return rounds.stream().map(Round::wips).toList();
    }

    public double medianWips() {
        return Spread.of(wips()).median();
    }
}
