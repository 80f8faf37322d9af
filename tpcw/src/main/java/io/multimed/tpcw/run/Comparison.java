package io.multimed.tpcw.run;

import java.util.ArrayList;
import java.util.List;

/**
 * Results of a comparison.
 *
 * @param reports one for each target; the first target is the reference
 * @param rounds number of rounds of each target
 */
public record Comparison(List<RunReport> reports, int rounds) {
    /** Returns the ratios of a target's WIPS to those of the first target, round by round. */
    public Spread ratio(int target) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            ratios.add(reports.get(target).wips().get(round)
                    / reports.get(0).wips().get(round));
        }
        return Spread.of(ratios);
    }

    /** Returns the number of errors of all targets. */
    public long errors() {
        return reports.stream().mapToLong(RunReport::errors).sum();
    }
}
