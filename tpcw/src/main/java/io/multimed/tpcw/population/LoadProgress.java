// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.tpcw.population;

/** Receives the progress of a load. */
@FunctionalInterface
public interface LoadProgress {
    /**
     * Called after each batch.
     *
     * @param what the table, or the step after the tables
     * @param fraction completed part of the whole load, 0 to 1
     */
    void loaded(String what, double fraction);
}
