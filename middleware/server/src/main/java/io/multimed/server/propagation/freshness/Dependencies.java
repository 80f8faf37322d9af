// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.freshness;

import io.multimed.engine.writeset.Scn;

/** The parts of tables on which one result depends. Thread-safe. */
public final class Dependencies {
    private final SchemaVersion schema;
    private final ReadShape[] shapes;
    private final int[] slots;

    Dependencies(SchemaVersion schema, ReadShape[] shapes, int[] slots) {
        this.schema = schema;
        this.shapes = shapes;
        this.slots = slots;
    }

    SchemaVersion schema() {
        return schema;
    }

    /**
     * Returns whether no change after an SCN may matter, as far as changes are recorded. The caller has read the
     * published SCN before, up to which all changes are recorded.
     */
    boolean areUnchangedSince(Scn scn) {
        long since = scn.value();
        if (schema.everything() > since) {
            return false;
        }
        for (int i = 0; i < shapes.length; i++) {
            if (shapes[i].latest(slots[i]) > since) {
                return false;
            }
        }
        return true;
    }
}
