// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

/** The way of changes from the master to the satellites. */
public enum Propagation {
    /** Triggers on the master capture changed rows, which Multimed applies to the satellites (architecture 4.4). */
    TRIGGERS,
    /** The satellites are the engine's own standbys, which replay the master's log. */
    LOG;

    /** Whether commits on the master need not come through Multimed, with {@link #LOG}. */
    enum DirectWrites {
        /** A read sees such commits, too: Multimed asks the master for its last commit before the read. */
        ALLOWED(Bypass.CAPTURE),
        /** A read sees the commits that came through Multimed. */
        NONE(Bypass.REFUSE);

        private final Bypass bypass;

        DirectWrites(Bypass bypass) {
            this.bypass = bypass;
        }

        Bypass bypass() {
            return bypass;
        }
    }
}
