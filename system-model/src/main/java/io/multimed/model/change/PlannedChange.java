// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.model.change;

/**
 * One difference between the running System Model and another one.
 *
 * @param part the part of the model that the change concerns
 * @param name of the node, user or routing class; empty for {@link Part#MODEL}
 * @param key as in the System Model; empty if the whole part is added or removed
 * @param before the running value; empty if there is none. Never a password
 * @param after the new value; empty if there is none. Never a password
 * @param note why the change has this effect, or what happens; may be empty
 */
public record PlannedChange(
        Kind kind, Part part, String name, String key, String before, String after, Effect effect, String note) {
    /** What happens to the part, or to the value of the key. */
    public enum Kind {
        ADD("+"),
        CHANGE("~"),
        REMOVE("-");

        private final String sign;

        Kind(String sign) {
            this.sign = sign;
        }

        /** Returns the sign of a line of the plan. */
        public String sign() {
            return sign;
        }
    }

    /** A part of the System Model. */
    public enum Part {
        MODEL,
        NODE,
        USER,
        CLASS
    }

    /** Returns the part and its name, as an administrator reads them. */
    public String object() {
        return switch (part) {
            case MODEL -> "model";
            case NODE -> "node " + name;
            case USER -> "user " + name;
            case CLASS -> "class " + name;
        };
    }

    /** Returns whether the running system can make the change. */
    public boolean isLive() {
        return effect != Effect.RESTART;
    }
}
