// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.figure;

import java.util.List;

/** A part of a figure that is measured as a whole: after an interruption, only incomplete points are measured again. */
public interface Point {
    /** Returns a name that is unique in the figure and that is the same in each run. */
    String key();

    /** Returns the expected duration in seconds, for the display of the time that is left. */
    int seconds();

    /**
     * Measures the point.
     *
     * @return the values, at least one
     * @throws Exception if the measurement is not possible; the message says why, and the figure ends there
     */
    List<Value> measure(Workbench workbench) throws Exception;
}
