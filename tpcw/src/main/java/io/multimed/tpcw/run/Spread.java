// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import java.util.List;

/** Minimum, median and maximum of several values. */
public record Spread(double min, double median, double max) {
    /**
     * Returns the spread of the values; zeros for an empty list. The median of an even number of values is the mean of
     * the middle two.
     */
    public static Spread of(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        if (sorted.isEmpty()) {
            return new Spread(0, 0, 0);
        }
        int middle = sorted.size() / 2;
        double median = sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
        return new Spread(sorted.get(0), median, sorted.get(sorted.size() - 1));
    }
}
