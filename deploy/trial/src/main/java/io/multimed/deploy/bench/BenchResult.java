package io.multimed.deploy.bench;

import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.run.Target;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Result of one database.
 *
 * @param rates operations per second of each round
 * @param micros response times of all rounds, in microseconds
 */
public record BenchResult(Target target, List<Double> rates, Histogram micros, long errors, List<String> errorTexts) {
    /** Returns the ratios of the rates to another database's rates, round by round. */
    public Spread ratio(BenchResult first) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            ratios.add(rates.get(i) / first.rates.get(i));
        }
        return Spread.of(ratios);
    }
}
