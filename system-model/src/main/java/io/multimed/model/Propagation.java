// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** The way of changes from the master to the satellites. */
public enum Propagation {
    /** Triggers on the master capture changed rows, which Multimed applies to the satellites (architecture 4.4). */
    TRIGGERS,
    /** The satellites are the engine's own standbys, which replay the master's log. */
    LOG,
}
