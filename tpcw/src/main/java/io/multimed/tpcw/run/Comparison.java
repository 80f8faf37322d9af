// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Results of a comparison.
 *
 * @param reports one for each target; the first target is the reference
 * @param rounds number of rounds of each target
 */
public record Comparison(List<RunReport> reports, int rounds) {
    /**
     * Returns the ratios of a target's WIPS to those of the first target, round by round; empty if interactions of one
     * of them failed: an interaction that fails takes less time than its work.
     */
    public Optional<Spread> ratio(int target) {
        if (reports.get(target).errors() + reports.get(0).errors() > 0) {
            return Optional.empty();
        }
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            ratios.add(reports.get(target).wips().get(round)
                    / reports.get(0).wips().get(round));
        }
        return Optional.of(Spread.of(ratios));
    }

    /** Returns the number of errors of all targets. */
    public long errors() {
        return reports.stream().mapToLong(RunReport::errors).sum();
    }
}
