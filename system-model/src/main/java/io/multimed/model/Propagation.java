// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model;

import io.multimed.model.yaml.YamlSection;
import java.util.List;

/** The way of changes from the master to the satellites. */
public enum Propagation {
    /** Triggers on the master capture changed rows, which Multimed applies to the satellites (architecture 4.4). */
    TRIGGERS,
    /** The satellites are the engine's own standbys, which replay the master's log. */
    LOG;

    /** Returns whether nodes of an engine may have this propagation; also for engines that are not known. */
    public boolean isPossibleWith(String engine) {
        return this == TRIGGERS
                || KnownEngine.of(engine).map(KnownEngine::hasStandbys).orElse(true);
    }

    /** Reads the key receipts; by default, nothing is written on a master that Multimed has not started. */
    static boolean receipts(YamlSection top, Propagation propagation, List<NodeSpec> nodes) {
        if (propagation == TRIGGERS && top.has("receipts")) {
            top.problem("receipts", "needs propagation: log", "leave receipts out: WriteSets contain them");
        }
        boolean ownMaster = nodes.stream()
                .noneMatch(node -> node.role() == Role.MASTER && node.program().source() == Source.EXTERNAL);
        return top.value("receipts", propagation == TRIGGERS || ownMaster, text -> switch (text) {
            case "on" -> true;
            case "off" -> false;
            default -> throw new IllegalArgumentException("\"%s\" is neither on nor off".formatted(text));
        });
    }

    /** Returns the value of the key receipts. */
    public static String writtenReceipts(boolean receipts) {
        return receipts ? "on" : "off";
    }

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

    /** What the data of a satellite is. All satellites of a model have the copy of its propagation. */
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
}
