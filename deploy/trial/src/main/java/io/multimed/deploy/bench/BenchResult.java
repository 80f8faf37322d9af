package io.multimed.deploy.bench;

import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.run.Target;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * What came of one target.
 *
 * @param rates operations per second of each round
 * @param micros response times of all rounds
 */
public record BenchResult(Target target, List<Double> rates, Histogram micros, long errors, List<String> errorTexts) {
    /** Rates over those of another target, round by round. */
    public Spread ratio(BenchResult first) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            ratios.add(rates.get(i) / first.rates.get(i));
        }
        return Spread.of(ratios);
    }
}
