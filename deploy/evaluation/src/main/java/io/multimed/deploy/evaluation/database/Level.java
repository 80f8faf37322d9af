// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.evaluation.database;

import io.multimed.model.Optimization;

/** Optimization levels of the paper (§3.4), and the result cache, which the paper does not have. */
public enum Level {
    /** Full copies on disk. */
    C0(Optimization.C0, 0),
    /** Full copies in main memory. */
    C1(Optimization.C1, 0),
    /** Copies in main memory with indexes and views for the heaviest queries; the last ones hold only their tables. */
    C2(Optimization.C2, 0),
    /** As C2, with a result cache of the middleware. */
    C2_WITH_CACHE(Optimization.C2, 256);

    private final Optimization optimization;
    private final int cacheMegabytes;

    Level(Optimization optimization, int cacheMegabytes) {
        this.optimization = optimization;
        this.cacheMegabytes = cacheMegabytes;
    }

    Optimization optimization() {
        return optimization;
    }

    int cacheMegabytes() {
        return cacheMegabytes;
    }

    /** Returns the name for plots. */
    public String title() {
        return this == C2_WITH_CACHE ? "C2 with cache" : name();
    }
}
