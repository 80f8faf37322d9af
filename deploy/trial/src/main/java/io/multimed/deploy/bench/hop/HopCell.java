// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.bench.hop;

import io.multimed.deploy.bench.workload.RowWorkload.Operation;
import io.multimed.tpcw.run.Spread;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;

/**
 * Results of one operation, with one number of clients, on one target.
 *
 * @param samples of all rounds
 * @param refusal why the clients could not connect; empty if they could
 */
record HopCell(Operation operation, int clients, int inFlight, String target, List<Sample> samples, String refusal) {
    boolean isMeasured() {
        return samples.stream().anyMatch(sample -> sample.nanos().getTotalCount() > 0);
    }

    Spread rate() {
        return Spread.of(rates());
    }

    List<Double> rates() {
        return samples.stream().map(Sample::rate).toList();
    }

    long operations() {
        return samples.stream()
                .mapToLong(sample -> sample.nanos().getTotalCount())
                .sum();
    }

    /** Returns a percentile of the response times of all rounds, in microseconds. */
    double micros(double percentile) {
        Histogram all = new Histogram(3);
        samples.forEach(sample -> all.add(sample.nanos()));
        return all.getTotalCount() == 0 ? 0 : all.getValueAtPercentile(percentile) / 1e3;
    }

    long errors() {
        return samples.stream().mapToLong(Sample::errors).sum();
    }

    List<String> errorTexts() {
        return List.copyOf(new TreeSet<>(
                samples.stream().flatMap(sample -> sample.errorTexts().stream()).toList()));
    }

    /** Returns the CPU time of each group of processes per operation, in microseconds; empty if unknown. */
    Map<String, Double> cpuMicros() {
        long operations = samples.stream().mapToLong(Sample::cpuOperations).sum();
        Map<String, Double> perOperation = new LinkedHashMap<>();
        if (operations > 0) {
            samples.forEach(sample -> sample.cpuMicros()
                    .forEach((group, micros) -> perOperation.merge(group, (double) micros / operations, Double::sum)));
        }
        return perOperation;
    }

    /**
     * Returns the ratio of the rates to those of another target, round by round; empty if one of the two has errors or
     * no figures, because a failed operation takes less time than its work.
     */
    Optional<Spread> ratio(HopCell first) {
        if (errors() + first.errors() > 0 || !isMeasured() || !first.isMeasured()) {
            return Optional.empty();
        }
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < Math.min(samples.size(), first.samples.size()); i++) {
            ratios.add(samples.get(i).rate() / first.samples.get(i).rate());
        }
        return Optional.of(Spread.of(ratios));
    }
}
