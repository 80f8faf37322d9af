// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

/** How a change of the System Model takes effect in a running system. */
public enum Effect {
    /** Immediately; clients do not notice it. */
    LIVE("now"),
    /** The satellite receives no reads for a moment: it is drained, and comes back with the new definition. */
    REJOIN("now; the satellite is drained for a moment"),
    /** The satellite is drained; its engine is stopped, and started with the new definition. */
    ENGINE("now; the engine of the satellite is stopped and started"),
    /** Only at the next start of the middleware. */
    RESTART("at the next start of multimed up");

    private final String text;

    Effect(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }
}
