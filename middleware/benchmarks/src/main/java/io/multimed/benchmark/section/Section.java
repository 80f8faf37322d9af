// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.section;

/**
 * A critical section: reads and updates of two numbers that every update changes together. Thread-safe. An update is
 * complete when the call returns.
 */
interface Section extends AutoCloseable {
    /** What a read returns if it has seen a part of an update. */
    long TORN = -1;

    /** Returns the number of updates, or {@link #TORN}. */
    long read();

    /** Makes one update. */
    void update();

    /** Ends threads of the section. */
    @Override
    default void close() {}
}
