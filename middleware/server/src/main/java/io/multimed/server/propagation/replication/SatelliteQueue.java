// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
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
import java.util.function.BooleanSupplier;

/**
 * The published groups that a satellite has not applied yet, in order (paper §3.2.1). The publisher's thread adds
 * groups, and the satellite's applier takes them. The queue has two limits. Above {@code bound} bytes the publisher
 * waits a little before each group, so that commits slow down. Above {@code dropAfter} bytes the queue discards its
 * content, and the satellite must catch up from the sealed WriteSets.
 */
public final class SatelliteQueue implements WriteSetSubscriber {
    /** Maximum time for which the applier gathers groups while no client reads. */
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Maximum number of groups, and of bytes, that the applier gathers. */
    private static final int MAX_GATHERED = 256;

    private static final long MAX_GATHERED_BYTES = 1L << 20;

    /** Maximum size of the WriteSets that are applied in one transaction. */
    private static final long BATCH_BYTES = 8L << 20;

    private static final int GROUP_OVERHEAD = 128;

    /** Protects all fields below; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    private final Condition changed = lock.newCondition();

    /** Signaled if the applier must not gather any longer. */
    private final Condition applyRequested = lock.newCondition();

    private final BooleanSupplier isRead;
    private final long gatherNanos;
    private volatile long bound;
    private volatile long dropAfter;

    @GuardedBy("lock")
    private final ArrayDeque<Entry> entries = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean dropped;

    /** Positions at which the applier stops to run an action, in commit order. */
    @GuardedBy("lock")
    private final PriorityQueue<Stop> stops = new PriorityQueue<>();

    /** An action that runs when all groups up to an SCN are applied, and none after it. */
    private record Stop(Scn at, Runnable action) implements Comparable<Stop> {
        @Override
        public int compareTo(Stop other) {
            return at.compareTo(other.at);
        }
    }

    /** A published group: its WriteSets and when it was published. */
    private record Entry(List<WriteSet> writeSets, Scn end, long bytes, long nanos) {
        /**
         * Returns whether the larger part of some WriteSet remained on the master, so that its application may take
         * long.
         */
        boolean isLarge() {
            return writeSets.stream().anyMatch(WriteSet::isLarge);
        }
    }

    /** The WriteSets that are applied in one transaction. */
    public record Batch(List<WriteSet> writeSets, Scn upTo) {}

    /**
     * @param bound size in bytes above which commits slow down
     * @param dropAfter size in bytes above which the queue discards its content
     * @param isRead returns whether clients read on satellites; if it becomes true, {@link #applyNow} is called
     */
    public SatelliteQueue(long bound, long dropAfter, BooleanSupplier isRead) {
        this(bound, dropAfter, isRead, GATHER_NANOS);
    }

    SatelliteQueue(long bound, long dropAfter, BooleanSupplier isRead, long gatherNanos) {
        this.gatherNanos = gatherNanos;
        this.isRead = isRead;
        this.bound = bound;
        this.dropAfter = dropAfter;
    }

    /** Changes the limits; they apply from the next group on. */
    void setLimits(long nextBound, long nextDropAfter) {
        bound = nextBound;
        dropAfter = nextDropAfter;
    }

    /** Adds a group; above the limit, discards all groups instead. */
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
            if (entries.size() <= 1) {
                changed.signalAll();
            }
            if (!mayGather()) {
                applyRequested.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs an action on the applier's thread when all groups up to an SCN are applied, and none after it.
     *
     * @param at end of a group after which no later group may have been published yet
     */
    void stopAt(Scn at, Runnable action) {
        lock.lock();
        try {
            stops.add(new Stop(at, action));
            changed.signalAll();
            applyRequested.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Removes and returns the actions that are due at this position. Called by the applier before it continues. */
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
            applyRequested.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Makes the applier take the groups that it gathers. */
    void applyNow() {
        lock.lock();
        try {
            applyRequested.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the queue has room, but at most {@code millis}. This slows down commits. */
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
     * Takes the waiting groups, up to a limit; waits for the first one. While no client reads, the applier also waits
     * for further groups, for a short time.
     *
     * @return a batch without WriteSets if no group arrived in time
     * @throws FellBehindException if the queue has discarded its content
     */
    public Batch take(Scn applied, long millis) throws InterruptedException, FellBehindException {
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            while (entries.isEmpty() && !dropped && !isStop(applied) && left > 0) {
                left = changed.awaitNanos(left);
            }
            gather();
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
    private void gather() throws InterruptedException {
        long left = entries.isEmpty() ? 0 : entries.element().nanos + gatherNanos - System.nanoTime();
        while (left > 0 && mayGather() && !isRead.getAsBoolean()) {
            left = applyRequested.awaitNanos(left);
        }
    }

    /** Returns whether the applier may gather further groups while no client reads. */
    @GuardedBy("lock")
    private boolean mayGather() {
        return !dropped
                && stops.isEmpty()
                && bytes <= Math.min(bound, MAX_GATHERED_BYTES)
                && entries.size() < MAX_GATHERED;
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
            upTo = entry.end.isAfter(upTo) ? entry.end : upTo; // positions in a log may have been published before
            writeSets.addAll(entry.writeSets);
        }
        return new Batch(writeSets, upTo);
    }

    /** Returns how long the oldest group has waited, in nanoseconds. */
    long age() {
        lock.lock();
        try {
            return entries.isEmpty() ? 0 : System.nanoTime() - entries.element().nanos;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the size of the waiting groups in bytes. */
    long bytes() {
        lock.lock();
        try {
            return bytes;
        } finally {
            lock.unlock();
        }
    }

    /** The satellite did not keep up with the commits. */
    static final class FellBehindException extends Exception {
        FellBehindException(long limit) {
            super("more than %d bytes of WriteSets waited (queue.drop-after)".formatted(limit));
        }
    }
}
