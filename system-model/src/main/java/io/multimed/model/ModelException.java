package io.multimed.model;

import java.util.List;
import java.util.stream.Collectors;

/** A System Model cannot be used. Carries everything that is wrong with it, not only the first. */
public final class ModelException extends Exception {
    private final transient List<Problem> problems;

    public ModelException(List<Problem> problems) {
        super(problems.stream().map(Problem::toString).collect(Collectors.joining(System.lineSeparator())));
        this.problems = List.copyOf(problems);
    }

    public List<Problem> problems() {
        return problems;
    }
}
