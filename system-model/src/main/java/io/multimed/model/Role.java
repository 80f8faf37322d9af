// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** Role of a Computational Node (paper §3.2.1). */
public enum Role {
    /** Runs every update, and holds the only durable copy. */
    MASTER,
    /** Holds a full or partial copy, and runs read-only transactions. */
    SATELLITE,
}
