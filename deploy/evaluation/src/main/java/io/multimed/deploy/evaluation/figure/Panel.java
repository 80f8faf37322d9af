// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

/**
 * One plot of a figure.
 *
 * @param name unique in the figure; values refer to this name
 * @param across what the horizontal axis shows
 * @param up what the vertical axis shows, with its unit
 */
public record Panel(String name, String across, String up, Form form) {
    /** Name of a series that is not a part of a stack, but the sum of the parts, with its spread over the rounds. */
    public static final String TOTAL = "total";

    /** The form of a plot. */
    public enum Form {
        /** A line for each series, with the spread of each point. */
        LINES,
        /** As lines, with a logarithmic vertical axis. */
        LOGARITHMIC_LINES,
        /** At each place one bar, in which the series are stacked; see {@link Panel#TOTAL}. */
        STACKS
    }
}
