// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a node's short reads on a few connections, called lanes, one read after the other. A read that waits for a lane
 * holds neither a thread nor a connection. Reads of the same text that wait at the same time run together, in one
 * message to the engine. Compared with a connection for each read, this saves changes between threads and between the
 * engine's processes, which cost more than a short read itself.
 *
 * <p>A lane is a lease of the node, so that the node's limits, its drain and its failures apply. A lane ends when no
 * read waits. A read that turns out to be long blocks its lane only: after {@link Limits#blockedMillis} another lane
 * takes its place. At most one read per client waits here. Thread-safe.
 */
public final class ReadLanes implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReadLanes.class);

    /** Maximum number of reads that run together, because all of them wait for the last one. */
    static final int MAX_TOGETHER = 16;

    /** A lane returns its connection after this number of messages, so that other transactions get their turn. */
    private static final int MESSAGES = 256;

    private final ComputationalNode node;
    private volatile int most;
    private final Limits limits;

    /** Protects the fields below; held for a few instructions, never during a call of JDBC. */
    private final ReentrantLock lock = new ReentrantLock();

    /** By group, in the order in which the groups take their turns. */
    @GuardedBy("lock")
    private final Map<Object, ArrayDeque<Waiting>> waiting = new LinkedHashMap<>();

    /** Number of reads in {@link #waiting}. Changed under the lock, read without. */
    private final AtomicInteger reads = new AtomicInteger();

    /** Lanes that run, or wait for a connection, without those that are blocked. */
    @GuardedBy("lock")
    private int open;

    @GuardedBy("lock")
    private final List<Lane> running = new ArrayList<>();

    /** Looks for blocked lanes while reads wait or run together; at most one look is scheduled. */
    private final ScheduledThreadPoolExecutor watch;

    @GuardedBy("lock")
    private boolean watching;

    /**
     * The times that a message may take.
     *
     * @param checkMillis interval at which lanes are examined while reads wait or run together
     * @param blockedMillis a lane whose message takes longer is blocked: another lane takes its place
     * @param lateMillis reads that take longer together are canceled, and run one by one
     */
    record Limits(long checkMillis, long blockedMillis, long lateMillis) {
        static final Limits DEFAULT = new Limits(10, 10, 100);
    }

    /** @param since by {@link System#nanoTime} */
    private record Waiting(Read read, long since) {}

    /** A short read that stands alone. Receives exactly one of the calls. */
    public interface Read {
        /** Identifies, by {@code equals}, the reads that can run together with this one. */
        Object group();

        /**
         * Runs this read, and others of the same group. Never throws.
         *
         * @param together all reads to run, among them this one; a power of two in number
         * @return whether the lane may use the connection further; otherwise the lease has been returned, or has a new
         *     owner
         */
        boolean readTogether(Lease lane, List<Read> together);

        /**
         * Cancels the reads that run together with this one, which was the first of them; those that have not been
         * answered then run alone. May block.
         */
        void cancelTogether();

        /** Receives the reason why there is no connection; the message contains the node's name. */
        void refused(SQLException cause);

        /** As {@link LeaseRequest#timedOut}. */
        default void timedOut(SQLException cause) {
            refused(cause);
        }
    }

    /** @param most maximum number of lanes that are not blocked */
    ReadLanes(ComputationalNode node, int most, Limits limits) {
        this.node = node;
        this.most = most;
        this.limits = limits;
        this.watch = new ScheduledThreadPoolExecutor(1, new NamedThreads(node.name() + "-lanes"));
    }

    /** Changes the maximum number of lanes; those above it end when no read waits. */
    void setMost(int lanes) {
        most = lanes;
    }

    int waiting() {
        return reads.get();
    }

    /** Queues a read. Does not block. */
    public void submit(Read read) {
        boolean opens;
        lock.lock();
        try {
            waiting.computeIfAbsent(read.group(), group -> new ArrayDeque<>())
                    .add(new Waiting(read, System.nanoTime()));
            reads.incrementAndGet();
            opens = open < most;
            if (opens) {
                open++;
            } else {
                scheduleCheck();
            }
        } finally {
            lock.unlock();
        }
        if (opens) {
            openLane();
        }
    }

    /** Ends the wait of a read for a lane. Returns false if the read does not wait. */
    public boolean withdraw(Read read) {
        lock.lock();
        try {
            ArrayDeque<Waiting> group = waiting.get(read.group());
            boolean waited = group != null && group.removeIf(each -> each.read == read);
            if (waited) {
                reads.decrementAndGet();
                waiting.computeIfPresent(read.group(), (key, rest) -> rest.isEmpty() ? null : rest);
            }
            return waited;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void scheduleCheck() {
        if (!watching && !watch.isShutdown()) {
            watching = true;
            Future<?> unused = watch.schedule(this::checkLanes, limits.checkMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Replaces the lanes that are blocked, and cancels reads that run together on them. */
    private void checkLanes() {
        List<Read> late = new ArrayList<>();
        int opens;
        lock.lock();
        try {
            watching = false;
            boolean together = false;
            for (Lane lane : running) {
                checkLane(lane, late);
                together |= lane.current.size() > 1;
            }
            opens = Math.max(0, Math.min(waiting.size(), most - open));
            open += opens;
            if (together || !waiting.isEmpty()) {
                scheduleCheck();
            }
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < opens; i++) {
            openLane();
        }
        late.forEach(ReadLanes::cancel);
    }

    /** @param late receives the first read of a message that must be canceled */
    @GuardedBy("lock")
    private void checkLane(Lane lane, List<Read> late) {
        long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lane.since);
        if (millis >= limits.blockedMillis() && !lane.blocked) {
            lane.blocked = true;
            open--;
        }
        if (millis >= limits.lateMillis() && lane.current.size() > 1) {
            late.add(lane.current.get(0));
            lane.current = List.of(); // once is enough
        }
    }

    private static void cancel(Read first) {
        try {
            first.cancelTogether();
        } catch (RuntimeException e) {
            LOG.error("reads that run together could not be canceled", e);
        }
    }

    private void openLane() {
        node.lease(new LeaseRequest() {
            @Override
            public boolean readsOnly() {
                return true;
            }

            @Override
            public boolean waitsForEver() {
                return true; // takeLate() ends the waits of the reads
            }

            @Override
            public void leased(Lease lease) {
                new Lane(lease).run();
            }

            @Override
            public void refused(SQLException cause) {
                takeAll().forEach(read -> read.refused(cause));
            }
        });
    }

    /** Closes the lane that got no connection, and returns all reads that wait. */
    private List<Read> takeAll() {
        lock.lock();
        try {
            open--;
            List<Read> all = new ArrayList<>();
            waiting.values().forEach(group -> group.forEach(each -> all.add(each.read)));
            waiting.clear();
            reads.set(0);
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** Removes the reads that have waited for longer than a time, in nanoseconds, and returns them. */
    List<Read> takeLate(long nanos) {
        if (reads.get() == 0) {
            return List.of();
        }
        long now = System.nanoTime();
        List<Read> late = new ArrayList<>();
        lock.lock();
        try {
            for (ArrayDeque<Waiting> group : waiting.values()) {
                while (!group.isEmpty() && now - group.element().since > nanos) {
                    late.add(group.remove().read);
                }
            }
            waiting.values().removeIf(ArrayDeque::isEmpty);
            reads.addAndGet(-late.size());
            return late;
        } finally {
            lock.unlock();
        }
    }

    /** A connection that runs reads as long as any wait. Used by one thread. */
    private final class Lane {
        private final Lease lease;

        /** The beginning of the current message, by {@link System#nanoTime}. Guarded by the lock. */
        private long since;

        /** The reads of the current message. Guarded by the lock. */
        private List<Read> current = List.of();

        /** Whether the lane is not counted in {@link #open}. Guarded by the lock. */
        private boolean blocked;

        Lane(Lease lease) {
            this.lease = lease;
        }

        void run() {
            int messages = 0;
            boolean usable = true;
            try {
                List<Read> next = begin();
                while (usable && !next.isEmpty()) {
                    usable = false; // if the read fails because of a defect, the connection is closed
                    usable = next.get(0).readTogether(lease, next);
                    messages++;
                    next = usable && messages < MESSAGES && !lease.hasReportedChanges() ? next() : List.of();
                }
            } finally {
                boolean again = end();
                if (usable) {
                    lease.release();
                }
                if (again) {
                    openLane();
                }
            }
        }

        private List<Read> begin() {
            lock.lock();
            try {
                running.add(this);
                return lease.isOutdated() ? List.of() : take();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Returns the next reads; none if another lane has taken the place of this one, if the connection must be
         * renewed, or if no read waits.
         */
        private List<Read> next() {
            lock.lock();
            try {
                if (blocked && open < most) {
                    blocked = false;
                    open++;
                }
                return blocked || isOutdated() ? List.of() : take();
            } finally {
                lock.unlock();
            }
        }

        /** Returns whether the node must first renew the connection, or discard its statements. */
        private boolean isOutdated() {
            try {
                return lease.isOutdated() || lease.mayHaveStalePlans();
            } catch (SQLException e) {
                LOG.debug("{}: a lane does not know its connection", node.name(), e);
                return true;
            }
        }

        /** Takes reads of the group whose turn it is: a power of two in number, so that few texts are prepared. */
        @GuardedBy("lock")
        private List<Read> take() {
            since = System.nanoTime();
            current = List.of();
            Iterator<Map.Entry<Object, ArrayDeque<Waiting>>> turns =
                    waiting.entrySet().iterator();
            if (!turns.hasNext()) {
                return List.of();
            }
            Map.Entry<Object, ArrayDeque<Waiting>> turn = turns.next();
            Object group = turn.getKey();
            ArrayDeque<Waiting> queue = turn.getValue();
            int count = Math.min(MAX_TOGETHER, Integer.highestOneBit(queue.size()));
            List<Read> taken = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                taken.add(queue.remove().read);
            }
            turns.remove();
            if (!queue.isEmpty()) {
                waiting.put(group, queue); // behind the other groups
            }
            reads.addAndGet(-count);
            current = taken;
            if (count > 1) {
                scheduleCheck();
            }
            return taken;
        }

        /** Removes the lane. Returns whether another lane must be opened for reads that wait. */
        private boolean end() {
            lock.lock();
            try {
                running.remove(this);
                if (!blocked) {
                    open--;
                }
                boolean again = !waiting.isEmpty() && open < most;
                if (again) {
                    open++;
                }
                return again;
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void close() {
        lock.lock(); // no look may be scheduled at the same time
        try {
            watch.shutdownNow();
        } finally {
            lock.unlock();
        }
    }
}
