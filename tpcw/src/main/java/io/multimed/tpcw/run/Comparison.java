package io.multimed.tpcw.run;

import java.util.ArrayList;
import java.util.List;

/**
 * What came of comparing targets.
 *
 * @param reports one for each target; the first is what the others are compared with
 */
public record Comparison(List<RunReport> reports, int rounds) {
    /** WIPS of a target over WIPS of the first one, round by round. */
    public Spread ratio(int target) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            ratios.add(reports.get(target).wips().get(round)
                    / reports.get(0).wips().get(round));
        }
        return Spread.of(ratios);
    }

    public long errors() {
        return reports.stream().mapToLong(RunReport::errors).sum();
    }
}
