package io.multimed.model;

import io.multimed.model.yaml.Problem;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A System Model cannot be used. Carries everything that is wrong with it, not only the first, in the order of the lines. */
public final class ModelException extends Exception {
    private final transient List<Problem> problems;

    public ModelException(List<Problem> problems) {
        super(ordered(problems).map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = ordered(problems).toList();
    }

    private static Stream<Problem> ordered(List<Problem> problems) {
        return problems.stream().distinct().sorted(Comparator.comparingInt(Problem::line));
    }

    public List<Problem> problems() {
        return problems;
    }
}
