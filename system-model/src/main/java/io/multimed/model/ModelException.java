// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.yaml.Problem;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reports an unusable System Model. Carries all problems of the model, not only the first, in the order of their lines.
 */
public final class ModelException extends Exception {
    private final transient List<Problem> problems;

    /** Creates an exception whose message has a line for each problem. Equal problems count once. */
    public ModelException(List<Problem> problems) {
        super(ordered(problems).map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = ordered(problems).toList();
    }

    private static Stream<Problem> ordered(List<Problem> problems) {
        return problems.stream().distinct().sorted(Comparator.comparingInt(Problem::line));
    }

    /** Returns the problems in the order of their lines. */
    public List<Problem> problems() {
        return problems;
    }
}
