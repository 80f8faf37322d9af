// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.deploy.history;

import java.sql.Connection;
import java.util.Locale;

/**
 * The isolation level that the read-write transactions of a history requested, the weakest first. Read-only
 * transactions have a strong snapshot at every level.
 */
public enum Isolation {
    /**
     * Forbids G0, G1a, G1b, G1c, and reads that are older than the state acknowledged before their transaction began.
     */
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),

    /**
     * Strong snapshot isolation: also forbids cycles without two consecutive read-write dependencies, with real time as
     * a dependency.
     */
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),

    /** Strict serializability: forbids every cycle, with real time as a dependency. */
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int level;

    Isolation(int level) {
        this.level = level;
    }

    /** The constant of java.sql.Connection. */
    public int level() {
        return level;
    }

    /** Returns the level with this name, in SQL's or Java's spelling and any case. */
    public static Isolation of(String name) {
        for (Isolation isolation : values()) {
            if (isolation.name().equalsIgnoreCase(name.strip().replace(' ', '_').replace('-', '_'))) {
                return isolation;
            }
        }
        throw new IllegalArgumentException(
                "unknown isolation level \"%s\"; the levels are: read-committed, repeatable-read, serializable"
                        .formatted(name));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }
}
