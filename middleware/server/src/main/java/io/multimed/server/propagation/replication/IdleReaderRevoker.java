package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.propagation.commit.Master;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Takes connections back from readers that have stopped reading: a result set, or a read-only transaction on a satellite, that nothing was asked of for a while. After a short
 * while only if somebody needs the connection, or if the satellite's applier is held up (DDL waits for whoever reads the table); after a long one always, because
 * an engine must keep for it what was deleted since. Used by one thread.
 */
final class IdleReaderRevoker {
    private static final long SHORT_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Map<Satellite, Stand> stands = new WeakHashMap<>();

    /** Where a satellite stands, and since when. */
    private record Stand(Scn applied, long since) {}

    /** To be called every second or so. */
    void revoke(Master master, Satellites satellites) {
        revoke(master.node(), false);
        Scn published = master.publisher().published();
        for (Satellite satellite : satellites.all()) {
            revoke(satellite.node(), isHeldUp(satellite, published));
        }
    }

    /** Whether it has more to apply, and has not come on for a while. */
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
