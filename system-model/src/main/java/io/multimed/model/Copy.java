// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.yaml.YamlSection;

/** What the data of a satellite is. All satellites of a model have the copy of its {@link Propagation}. */
enum Copy {
    /** A standby of the engine, which replays the master's log. */
    STANDBY,
    /** Tables to which Multimed applies WriteSets. */
    WRITESETS;

    /** Reads the key copy of a node, which may only name what the propagation of the model makes. */
    static void check(YamlSection node, Role role, Propagation propagation) {
        if (!node.has("copy")) {
            return;
        }
        Copy made = propagation == Propagation.LOG ? STANDBY : WRITESETS;
        Copy copy = node.constant("copy", made);
        if (role == Role.MASTER) {
            node.problem("copy", "the master is no copy", "leave copy out");
        } else if (copy == WRITESETS && made == STANDBY) {
            node.problem(
                    "copy",
                    "Multimed does not read WriteSets from the engine's log yet",
                    "copy: standby, or propagation: triggers for the whole model");
        } else if (copy != made) {
            node.problem("copy", "standbys need propagation: log", "copy: writesets, or propagation: log");
        }
    }
}
