// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

/**
 * Identifies the schema under which names were read, for results that depend on it. Small, because results may refer to
 * it long after the schema has changed. Thread-safe.
 */
final class SchemaVersion {
    /** The last SCN that may have changed any table. */
    private volatile long everything;

    SchemaVersion(long everything) {
        this.everything = everything;
    }

    long everything() {
        return everything;
    }

    void changedEverything(long scn) {
        everything = scn;
    }
}
