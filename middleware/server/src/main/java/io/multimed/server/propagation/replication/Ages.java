package io.multimed.server.propagation.replication;

import io.multimed.engine.writeset.Scn;
import java.time.Duration;
import java.util.ArrayDeque;

/**
 * Estimates the SCN that was published a certain time ago, within a few percent. SCNs published before the start count
 * from the start. Used by one thread.
 */
final class Ages {
    private static final int STEPS = 50;

    private final long ageNanos;
    private final ArrayDeque<Moment> moments = new ArrayDeque<>();

    /** @param nanos of {@link System#nanoTime} */
    private record Moment(long nanos, Scn published) {}

    Ages(Duration age) {
        this.ageNanos = age.toNanos();
    }

    /**
     * Records the current SCN; to be called often.
     *
     * @return the last SCN that has reached the age; zero if none is known
     */
    Scn note(Scn published, long now) {
        if (moments.isEmpty() || now - moments.getLast().nanos >= ageNanos / STEPS) {
            moments.add(new Moment(now, published));
        }
        Scn old = Scn.ZERO;
        while (!moments.isEmpty() && now - moments.getFirst().nanos >= ageNanos) {
            old = moments.remove().published;
        }
        if (old.isAfter(Scn.ZERO)) {
            moments.addFirst(new Moment(now - ageNanos, old));
        }
        return old;
    }
}
