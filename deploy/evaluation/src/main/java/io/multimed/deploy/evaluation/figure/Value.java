// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import io.multimed.tpcw.run.Spread;
import java.util.List;

/**
 * A measured value with its spread over the rounds.
 *
 * @param panel name of the panel that shows the value
 * @param series name of the line, or of the part of a stack
 * @param place position on the horizontal axis
 * @param spread the smallest value, the median, and the largest value of the rounds
 * @param errors number of operations that failed meanwhile
 */
public record Value(String panel, String series, String place, Spread spread, long errors) {
    /** Returns a value of several rounds without errors. */
    public static Value of(String panel, String series, Object place, List<Double> rounds) {
        return new Value(panel, series, String.valueOf(place), Spread.of(rounds), 0);
    }

    /** Returns a value that is known without a spread, such as the count of a simulation or the result of a model. */
    public static Value single(String panel, String series, Object place, double value) {
        return of(panel, series, place, List.of(value));
    }

    /** Returns this value with the number of operations that failed. */
    public Value withErrors(long failed) {
        return new Value(panel, series, place, spread, failed);
    }

    /** Returns this value in another series. */
    public Value in(String other) {
        return new Value(panel, other, place, spread, errors);
    }
}
