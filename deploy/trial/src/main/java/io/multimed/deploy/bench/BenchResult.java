// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench;

import io.multimed.tpcw.run.Spread;
import io.multimed.tpcw.run.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/**
 * Result of one database.
 *
 * @param rates operations per second of each round
 * @param micros response times of all rounds, in microseconds
 */
public record BenchResult(Target target, List<Double> rates, Histogram micros, long errors, List<String> errorTexts) {
    /**
     * Returns the ratios of the rates to another database's rates, round by round; empty if operations of one of the
     * two failed.
     */
    public Optional<Spread> ratio(BenchResult first) {
        if (errors + first.errors > 0) {
            return Optional.empty();
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < rates.size(); i++) {
            ratios.add(rates.get(i) / first.rates.get(i));
        }
        return Optional.of(Spread.of(ratios));
    }
}
