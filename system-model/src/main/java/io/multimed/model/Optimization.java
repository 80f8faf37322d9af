// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** The optimization levels of the paper (§3.4). Each level includes the one before. */
public enum Optimization {
    /** Satellites hold full copies on disk. */
    C0,
    /** Satellites hold full copies in main memory. */
    C1,
    /**
     * Satellites hold full or partial copies in main memory; the router selects a satellite that holds the tables of a
     * transaction.
     */
    C2,
}
