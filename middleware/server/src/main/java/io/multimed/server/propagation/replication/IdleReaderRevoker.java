// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.propagation.commit.Master;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Revokes connections of clients that have stopped reading: an open result set, or a read-only transaction on a
 * satellite, without a request for some time. After {@link #SHORT_NANOS} a connection is revoked only if other requests
 * wait for it, or if the satellite's applier is blocked, because DDL waits for the readers of a table. After {@link
 * #LONG_NANOS} it is always revoked, because the engine must keep deleted rows for its snapshot. Used by the
 * maintenance thread only.
 */
final class IdleReaderRevoker {
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long UNRESET_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Map<Satellite, Stand> stands = new WeakHashMap<>();

    /**
     * The last observed SCN of a satellite, and the time since which it has not changed, by {@link System#nanoTime}.
     */
    private record Stand(Scn applied, long since) {}

    /** Revokes idle connections on all nodes. Called about once per second. */
    void revoke(Master master, Satellites satellites) {
        revoke(master.node(), false);
        master.node().resetLeft(UNRESET_NANOS);
        Scn published = master.publisher().published();
        for (Satellite satellite : satellites.all()) {
            revoke(satellite.node(), isHeldUp(satellite, published));
        }
    }

    /** Returns whether a satellite has WriteSets to apply, and has made no progress for a while. */
    private boolean isHeldUp(Satellite satellite, Scn published) {
        Scn applied = satellite.applied();
        Stand before = stands.get(satellite);
        if (before == null || !before.applied().equals(applied) || !published.isAfter(applied)) {
            stands.put(satellite, new Stand(applied, System.nanoTime()));
            return false;
        }
        return System.nanoTime() - before.since() > HELD_UP_NANOS;
    }

    private static void revoke(ComputationalNode node, boolean heldUp) {
        node.revokeIdle(LONG_NANOS, node.connections());
        node.revokeIdle(SHORT_NANOS, heldUp ? node.connections() : node.waitingRequests());
    }
}
