// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.capacity;

import io.multimed.tpcw.run.Spread;
import java.util.List;
import java.util.Locale;

/**
 * The distance of the model from points that were measured and that do not feed it.
 *
 * @param points number of measured points
 * @param separate number of those points at which each part of Multimed has cores of its own
 * @param median median of the relative errors of the throughput, without their sign
 * @param lowest lowest relative error of the throughput; negative if the model predicts too little
 * @param highest highest relative error
 * @param factor largest ratio of the predicted and the measured throughput, of the larger one to the smaller one
 */
record ModelError(int points, int separate, double median, double lowest, double highest, double factor) {
    /**
     * A prediction and what was measured.
     *
     * @param separate whether each part of Multimed has cores of its own
     */
    record Check(double predicted, double measured, boolean separate) {
        /** Returns the relative error of the prediction. */
        double error() {
            return predicted / measured - 1;
        }

        /** Returns the ratio of the larger value to the smaller one. */
        double factor() {
            return Math.max(predicted / measured, measured / predicted);
        }
    }

    static ModelError of(List<Check> checks) {
        List<Double> sorted = checks.stream().map(Check::error).sorted().toList();
        return new ModelError(
                checks.size(),
                (int) checks.stream().filter(Check::separate).count(),
                Spread.of(sorted.stream().map(Math::abs).toList()).median(),
                sorted.isEmpty() ? 0 : sorted.get(0),
                sorted.isEmpty() ? 0 : sorted.get(sorted.size() - 1),
                checks.stream().mapToDouble(Check::factor).max().orElse(1));
    }

    /** Says that the part of the model which other machines need is not checked; empty if it is. */
    String warning() {
        return points == 0 || separate > 0
                ? ""
                : "At each of these points, the parts of Multimed share all cores: the network with cores of their own for middleware, master and satellites is not checked.";
    }

    @Override
    public String toString() {
        return points == 0
                ? "not checked against any measured point"
                : String.format(
                        Locale.ROOT,
                        "checked against %d measured points that do not feed it (%d with separate cores): errors from %+.0f %% to %+.0f %%, median %.0f %%",
                        points,
                        separate,
                        100 * lowest,
                        100 * highest,
                        100 * median);
    }
}
