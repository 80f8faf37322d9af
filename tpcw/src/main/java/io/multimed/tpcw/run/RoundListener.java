// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.run;

import java.sql.SQLException;

/**
 * Receives the limits of the rounds of a comparison, on the thread that measures. A failure ends the comparison.
 * Targets are numbered from 0, rounds from 1.
 */
public interface RoundListener {
    /** Called before the measured interval of a round, after its warm-up. */
    default void begins(int target, int round) throws SQLException, InterruptedException {}

    /** Called after the measured interval. The browsers still run. Not called if the interval fails. */
    default void ends(int target, int round) throws SQLException, InterruptedException {}

    /** Called when the browsers of the round have ended, before the next target is measured. */
    default void ended(int target, int round) throws SQLException, InterruptedException {}
}
