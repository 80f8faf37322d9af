// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** Whether commits on the master need not come through Multimed, with {@link Propagation#LOG}. */
public enum DirectWrites {
    /** Reads see such commits, too: they ask the master for its last commit. */
    ALLOWED(Bypass.CAPTURE),
    /** Reads see the commits that come through Multimed, and ask nobody. */
    NONE(Bypass.REFUSE);

    private final Bypass bypass;

    DirectWrites(Bypass bypass) {
        this.bypass = bypass;
    }

    Bypass bypass() {
        return bypass;
    }
}
