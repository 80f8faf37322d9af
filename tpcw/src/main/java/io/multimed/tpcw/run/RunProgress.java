// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

/** Receives the progress of a run several times per second. */
@FunctionalInterface
public interface RunProgress {
    /**
     * Called on the thread that measures.
     *
     * @param target the measured database
     * @param round from 1; 0 during the warm-up
     * @param fraction completed part of this phase, 0 to 1
     * @param wips web interactions per second since the last call
     * @param millis mean response time since the last call, in milliseconds
     * @param errors number of errors so far
     */
    void running(Target target, int round, double fraction, double wips, double millis, long errors);
}
