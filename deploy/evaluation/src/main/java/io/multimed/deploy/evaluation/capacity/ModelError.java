package io.multimed.deploy.evaluation.capacity;

import java.util.List;
import java.util.Locale;

/**
 * How far the model is from what was measured: relative errors of the throughput, without their sign.
 *
 * @param points number of measured points
 */
record ModelError(int points, double median, double largest) {
    /** Returns the relative error of a prediction. */
    static double of(double predicted, double measured) {
        return predicted / measured - 1;
    }

    /** @param errors relative errors, with or without sign */
    static ModelError of(List<Double> errors) {
        List<Double> sorted = errors.stream().map(Math::abs).sorted().toList();
        int count = sorted.size();
        return count == 0
                ? new ModelError(0, 0, 0)
                : new ModelError(
                        count, (sorted.get((count - 1) / 2) + sorted.get(count / 2)) / 2, sorted.get(count - 1));
    }

    @Override
    public String toString() {
        return points == 0
                ? "not checked against any measured point"
                : String.format(
                        Locale.ROOT,
                        "checked against %d measured points: median error %.0f %%, largest %.0f %%",
                        points,
                        100 * median,
                        100 * largest);
    }
}
