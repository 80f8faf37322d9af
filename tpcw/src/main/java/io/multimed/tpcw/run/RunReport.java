package io.multimed.tpcw.run;

import io.multimed.tpcw.interaction.InteractionType;
import java.util.List;
import java.util.Map;

/**
 * Results of one target.
 *
 * @param wips web interactions per second of each round
 * @param reports number of reports that were read beside the pages, in measured time
 * @param series web interactions per second over time, all rounds one after the other
 * @param seriesStep seconds between two values of the series
 * @param errorTexts the messages of the first errors
 */
public record RunReport(
        Target target,
        RunOptions options,
        List<Double> wips,
        long errors,
        long retries,
        long reports,
        Map<InteractionType, Latency> interactions,
        List<Double> series,
        double seriesStep,
        List<String> errorTexts) {
    /** Response times in milliseconds. */
    public record Latency(long count, double p50, double p90, double p99, double mean) {}

    /** Returns the median of the rounds. */
    public double medianWips() {
        return Spread.of(wips).median();
    }
}
