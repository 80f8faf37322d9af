// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.engine.satellite;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

/**
 * An index of a satellite that the master does not have (paper §3.4). The name is derived from the definition, so that
 * an index is found again, and cannot be that of an index of the master.
 *
 * @param definition in SQL of the engine, as behind ON in CREATE INDEX: the table, and the columns in parentheses
 */
public record OwnIndex(String definition) {
    /** The first characters of all names. */
    public static final String PREFIX = "multimed_own_";

    private static final int DIGITS = 16;

    public String name() {
        String hash = UUID.nameUUIDFromBytes(definition.getBytes(StandardCharsets.UTF_8))
                .toString()
                .replace("-", "");
        return PREFIX + hash.substring(0, DIGITS);
    }

    /** Returns the statement that creates the index. */
    public String creation() {
        return "CREATE INDEX %s ON %s".formatted(name(), definition);
    }
}
