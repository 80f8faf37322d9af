package io.multimed.server.propagation.replication;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.propagation.commit.WriteSetSubscriber;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Published groups that a satellite has not applied yet, in order (paper §3.2.1). The publisher puts, the satellite's applier takes. Bounded twice: beyond
 * {@code bound} bytes the publisher waits a little before each group, so that commits slow down; beyond {@code dropAfter} the queue gives up what it
 * holds, and the satellite has to catch up from the sealed WriteSets.
 */
public final class SatelliteQueue implements WriteSetSubscriber {
    /** What is applied in one satellite transaction at most, in bytes of WriteSets. */
    private static final long BATCH_BYTES = 8L << 20;

    private static final int GROUP_OVERHEAD = 128;

    /** Protects all fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();
    private final long bound;
    private final long dropAfter;

    @GuardedBy("lock")
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean dropped;

    /** Where the applier stops to do something, in order. */
    @GuardedBy("lock")
    private final PriorityQueue<Stop> stops = new PriorityQueue<>();

    /** A place in the order at which nothing later has been applied, and what is done there. */
    private record Stop(Scn at, Runnable action) implements Comparable<Stop> {
        @Override
        public int compareTo(Stop other) {
            return at.compareTo(other.at);
        }
    }

    /** A published group: its WriteSets and when it was published. */
    private record Entry(List<WriteSet> writeSets, Scn end, long bytes, long nanos) {
        /** Whether the larger part of some WriteSet stayed on the master: applying it may take long. */
        boolean isLarge() {
            return writeSets.stream().anyMatch(writeSet -> writeSet.spill() != null);
        }
    }

    /** What is to be applied in one transaction. */
    public record Batch(List<WriteSet> writeSets, Scn upTo) {}

    public SatelliteQueue(long bound, long dropAfter) {
        this.bound = bound;
        this.dropAfter = dropAfter;
    }

    /** Adds a group; beyond the limit forgets everything instead. */
    @Override
    public void put(List<WriteSet> writeSets, Scn end) {
        long size =
                GROUP_OVERHEAD + writeSets.stream().mapToLong(WriteSet::bytes).sum();
        lock.lock();
        try {
            if (!dropped && bytes + size > dropAfter) {
                dropped = true;
                entries.clear();
                bytes = 0;
            }
            if (!dropped) {
                entries.add(new Entry(writeSets, end, size, System.nanoTime()));
                bytes += size;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Has the applier run an action at a place in the order: when everything up to it is applied, and nothing after.
     *
     * @param at the end of a group that no later one may have followed yet
     */
    void stopAt(Scn at, Runnable action) {
        lock.lock();
        try {
            stops.add(new Stop(at, action));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** What is to be done at this place; taken by the applier before it goes on. */
    List<Runnable> takeStops(Scn applied) {
        List<Runnable> due = new ArrayList<>();
        lock.lock();
        try {
            while (isStop(applied)) {
                due.add(stops.remove().action);
            }
        } finally {
            lock.unlock();
        }
        return due;
    }

    @GuardedBy("lock")
    private boolean isStop(Scn place) {
        return !stops.isEmpty() && !stops.element().at.isAfter(place);
    }

    /** Drops the content, as if the queue had exceeded its bound. */
    @Override
    public void drop() {
        lock.lock();
        try {
            dropped = true;
            entries.clear();
            bytes = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is room, but not longer than {@code millis}: the slowing down of commits. */
    @Override
    public void awaitRoom(long millis) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (bytes > bound && !dropped && left > 0) {
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * All that waits, up to a bound; waits for the first.
     *
     * @return a batch without WriteSets if none came in time
     * @throws FellBehindException if the queue was dropped
     */
    public Batch take(Scn applied, long millis) throws InterruptedException, FellBehindException {
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (entries.isEmpty() && !dropped && !isStop(applied) && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (dropped) {
                throw new FellBehindException(dropAfter);
            }
            Batch batch = drain(applied);
            changed.signalAll();
            return batch;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Batch drain(Scn applied) {
        List<WriteSet> writeSets = new ArrayList<>();
        Scn upTo = applied;
        long taken = 0;
        boolean large = false;
        while (!entries.isEmpty() && taken < BATCH_BYTES && !large && !isStop(upTo)) {
            Entry entry = entries.remove();
            large = entry.isLarge();
            bytes -= entry.bytes;
            taken += entry.bytes;
            upTo = entry.end;
            writeSets.addAll(entry.writeSets);
        }
        return new Batch(writeSets, upTo);
    }

    /** How long the oldest group has waited, in nanoseconds. */
    long age() {
        lock.lock();
        try {
            return entries.isEmpty() ? 0 : System.nanoTime() - entries.element().nanos;
        } finally {
            lock.unlock();
        }
    }

    /** The satellite did not keep up. */
    static final class FellBehindException extends Exception {
        FellBehindException(long limit) {
            super("more than %d bytes of WriteSets waited (queue.drop-after)".formatted(limit));
        }
    }
}
