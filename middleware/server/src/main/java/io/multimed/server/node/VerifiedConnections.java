// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import java.sql.Connection;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The connections of a satellite that are known to show what the applier has seen. A standby that was killed shows an
 * older state again until it has replayed its log, and accepts connections before: a new connection must be examined
 * once. A connection that exists does not outlive its engine, so that it never shows an older state. Thread-safe.
 */
final class VerifiedConnections {
    private final Set<Connection> verified =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    /** @param physical the connection of the engine's driver */
    boolean contains(Connection physical) {
        return verified.contains(physical);
    }

    void clear() {
        verified.clear();
    }

    void add(Connection physical) {
        verified.add(physical);
    }
}
