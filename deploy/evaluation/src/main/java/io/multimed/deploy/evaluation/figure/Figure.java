// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.util.List;
import java.util.Map;

/** One figure of the evaluation: what is measured, how it is plotted, and what the paper shows. Immutable. */
public interface Figure {
    /** Returns a short name such as {@code fig3a}, which the option {@code --only} and the names of files use. */
    String id();

    String title();

    /** Returns the shape that the paper published, in words, with the paper and the number of its figure. */
    String published();

    /** Returns how this evaluation differs from the paper, or what it leaves out and why; may be empty. */
    default String note() {
        return "";
    }

    /** Returns settings that a reader of the values has to know, by name; recorded beside the values. */
    default Map<String, String> configuration(Scope scope) {
        return Map.of();
    }

    /**
     * Returns whether the values are computed from those of other figures, so that they are computed again at each run.
     */
    default boolean isComputed() {
        return false;
    }

    /** Returns the plots, in the order of the page. */
    List<Panel> panels();

    /**
     * Returns what is to be measured, in the order of measurement. Points that use the same databases follow each
     * other, because in the full form only the databases of the last point run.
     *
     * @throws UnavailableException if this machine cannot measure the figure
     */
    List<Point> points(Scope scope) throws UnavailableException;
}
