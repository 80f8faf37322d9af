// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.propagation.freshness.TableScns;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes committed groups durable and publishes them (architecture 4.2): passes the WriteSets to the satellites' queues,
 * advances the published SCN to the end of the group, and answers the clients. The publisher's thread takes all groups
 * that have committed in the meantime, and forces the master's log once for all of them. If this thread is idle, the
 * thread of a single durable commit publishes its group itself. One of these threads publishes at a time.
 *
 * <p>The number of waiting groups is bounded by the number of clients, each of which waits for one commit.
 */
public final class Publisher implements GroupCommitOrder.Committed, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    /** Time for which the virtual machine may fail before the publisher gives up. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long RETRY_MILLIS = 100;

    /** Time without commits after which the connection for the log is used once. */
    private static final long KEEP_ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Maximum time for which full subscribers delay one group. */
    private static final long SLOW_DOWN_MILLIS = 20;

    /** Protects {@link #committed} and {@link #publishing}; held for a few instructions. */
    private final ReentrantLock turn = new ReentrantLock();

    private final Condition changed = turn.newCondition();

    @GuardedBy("turn")
    private final ArrayDeque<CommitGroup> committed = new ArrayDeque<>();

    /** Whether a thread publishes groups that it has taken from the queue or has claimed. */
    @GuardedBy("turn")
    private boolean publishing;

    private final Durability durability;
    private final Thread thread;

    /**
     * Protects {@link #subscribers}, {@link #waiters} and the changes of {@link #published}; held for a few
     * instructions.
     */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<WriteSetSubscriber> subscribers = new ArrayList<>();

    @GuardedBy("lock")
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>();

    private volatile Scn published;

    /** Set when the receivers of WriteSets and the barrier are set. */
    private volatile boolean started;

    private final TableScns tableScns;

    /** Delays the answers of members without an SCN. Set before the publisher starts. */
    private VisibilityBarrier visibilityBarrier = (action, lost) -> action.run();

    /** Receives each WriteSet that bypassed the middleware, before it is published. */
    private volatile Consumer<WriteSet> bypassListener = writeSet -> {};

    /**
     * Receives each WriteSet that came through the middleware, before it is published. Set before the publisher starts.
     */
    private Consumer<WriteSet> commitListener = writeSet -> {};

    /** Receives the number of members of each published group, for measurements. */
    private volatile IntConsumer sizeListener = size -> {};

    /**
     * Number of times that a crash of the master has, or may have, undone visible commits.
     */
    private final LongAdder losses = new LongAdder();

    /**
     * Time at which the thread that publishes has taken its groups, or has published the last one of them, by {@link
     * System#nanoTime}; 0 if no thread publishes.
     */
    private volatile long progress;

    /** Number of the last published group; changes just after {@link #published}. */
    private volatile long publishedGroup;

    /**
     * An action that waits for the publication of a group; {@code lost} is null for an action that is independent of a
     * crash.
     */
    private record Waiter(
            long group, Runnable action, @Nullable Runnable lost) implements Comparable<Waiter> {
        @Override
        public int compareTo(Waiter other) {
            return Long.compare(group, other.group);
        }
    }

    /**
     * @param rowValues returns the values of a captured row
     * @param criticalThreads supervises the publisher's thread
     */
    Publisher(
            Scn published,
            Durability durability,
            Function<String, List<@Nullable String>> rowValues,
            CriticalThreads criticalThreads) {
        this.published = published;
        this.tableScns = new TableScns(published, rowValues);
        this.durability = durability;
        this.thread = criticalThreads.thread("publisher", this::run);
    }

    void setVisibilityBarrier(VisibilityBarrier barrier) {
        visibilityBarrier = barrier;
    }

    /**
     * Sets the receiver of WriteSets that bypassed the middleware.
     *
     * @param listener receives each such WriteSet before it is published, on the publisher's thread; must not block
     */
    public void onBypassedCommit(Consumer<WriteSet> listener) {
        bypassListener = listener;
    }

    /**
     * Sets the receiver of WriteSets that came through the middleware.
     *
     * @param listener receives each such WriteSet in commit order, on the publisher's thread
     */
    void onCommit(Consumer<WriteSet> listener) {
        commitListener = listener;
    }

    /** Sets the receiver of the number of members of each published group; must not block. */
    void onPublish(IntConsumer listener) {
        sizeListener = listener;
    }

    void start() {
        started = true;
        thread.start();
    }

    @Override
    public void enqueue(CommitGroup group) {
        turn.lock();
        try {
            committed.add(group);
            changed.signal();
        } finally {
            turn.unlock();
        }
    }

    /**
     * Succeeds if all earlier groups are published, the group is durable, and no transaction has bypassed the
     * middleware.
     */
    @Override
    public boolean claim(CommitGroup group) {
        turn.lock();
        try {
            boolean free = !publishing && committed.isEmpty() && started;
            publishing |= free && group.isComplete() && durability.isDurable(group) && hasNoGap(group);
            progress = free && publishing ? System.nanoTime() : progress;
            return free && publishing;
        } finally {
            turn.unlock();
        }
    }

    /** Returns whether no transaction can have bypassed the middleware since the last group. */
    private boolean hasNoGap(CommitGroup group) {
        return !durability.capturesBypassing() || group.end(published).value() - published.value() == group.size();
    }

    /** If this thread is interrupted before the group is published, the publisher's thread publishes the group. */
    @Override
    public void publishClaimed(CommitGroup group) {
        durability.durableAlready(group);
        boolean done = tryPublish(group);
        turn.lock();
        try {
            if (!done) {
                committed.addFirst(group);
            }
            publishing = false;
            progress = 0;
            if (!committed.isEmpty()) {
                changed.signal();
            }
        } finally {
            turn.unlock();
        }
    }

    private boolean tryPublish(CommitGroup group) {
        try {
            slowDown();
            publish(group);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    @Override
    public void whenPublished(long group, Runnable action) {
        if (!addWaiter(group, action, null)) {
            action.run();
        }
    }

    @Override
    public Scn awaitPublished(long group) throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        whenPublished(group, done::countDown);
        done.await();
        return published;
    }

    /** Returns the last published SCN. A read that starts now must see all commits up to this SCN. */
    public Scn published() {
        return published;
    }

    /** Returns the last published SCN that changed each table. */
    public TableScns tableScns() {
        return tableScns;
    }

    /**
     * Runs an action as soon as a group is published: immediately on this thread, or later on the publisher's thread.
     * The action must not block. The end of a transaction on the master is reported this way, so that no client acts on
     * data that a crash may still undo.
     *
     * @param lost runs instead if a crash has undone a commit of that group or of an earlier one
     */
    public void whenPublished(long group, Runnable action, Runnable lost) {
        if (!addWaiter(group, action, lost)) {
            action.run();
        }
    }

    /**
     * Returns how often a crash of the master has, or may have, undone visible commits. If the count changes during
     * a read, the read may have seen such a commit.
     */
    public long lossCount() {
        return losses.sum();
    }

    /** Counts a crash of the master that may have undone commits which did not come through the middleware. */
    void noteLoss() {
        losses.increment();
    }

    private boolean addWaiter(long group, Runnable action, @Nullable Runnable lost) {
        if (group <= publishedGroup) {
            return false;
        }
        lock.lock();
        try {
            return group > publishedGroup && waiters.add(new Waiter(group, action, lost));
        } finally {
            lock.unlock();
        }
    }

    /** Passes every group after the returned SCN to the subscriber. */
    public Scn attach(WriteSetSubscriber subscriber) {
        lock.lock();
        try {
            subscribers.add(subscriber);
            return published;
        } finally {
            lock.unlock();
        }
    }

    public void detach(WriteSetSubscriber subscriber) {
        lock.lock();
        try {
            subscribers.remove(subscriber);
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        try {
            while (true) {
                List<CommitGroup> groups = take();
                if (groups.isEmpty()) {
                    durability.keepAlive();
                } else {
                    durability.makeDurable(groups);
                }
                for (CommitGroup group : groups) {
                    slowDown();
                    publish(group);
                }
                endTurn();
            }
        } catch (InterruptedException e) {
            LOG.debug("publisher stops", e);
        }
    }

    /** Waits for committed groups, and takes all of them; returns none if there have not been any for a while. */
    private List<CommitGroup> take() throws InterruptedException {
        turn.lockInterruptibly();
        try {
            long left = KEEP_ALIVE_NANOS;
            while (publishing || (committed.isEmpty() && left > 0)) {
                left = changed.awaitNanos(KEEP_ALIVE_NANOS);
            }
            publishing = true;
            progress = System.nanoTime();
            List<CommitGroup> groups = List.copyOf(committed);
            committed.clear();
            return groups;
        } finally {
            turn.unlock();
        }
    }

    /** Returns for how long committed groups have been waiting for the publication of the next one of them. */
    long waitingNanos() {
        long since = progress;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    private void endTurn() {
        turn.lock();
        try {
            publishing = false;
            progress = 0;
        } finally {
            turn.unlock();
        }
    }

    private void slowDown() throws InterruptedException {
        for (WriteSetSubscriber subscriber : attached()) {
            subscriber.awaitRoom(SLOW_DOWN_MILLIS);
        }
    }

    private List<WriteSetSubscriber> attached() {
        lock.lock();
        try {
            return List.copyOf(subscribers);
        } finally {
            lock.unlock();
        }
    }

    /** @throws InterruptedException before the group is published; bypassing transactions before it may be published */
    private void publish(CommitGroup group) throws InterruptedException {
        retryIfOutOfMemory(() -> {
            group.writeSets().forEach(commitListener);
            return group;
        });
        List<AtomicBatch> batches = retryIfOutOfMemory(() -> batches(group));
        List<Runnable> notifications =
                retryIfOutOfMemory(() -> group.notifications(visibilityBarrier, this::published));
        if (group.hasLost()) {
            losses.increment(); // first: a client that begins to wait after this point sees the new count
            retryIfOutOfMemory(this::takeLossActions).forEach(Publisher::runCallback);
        }
        sizeListener.accept(group.size());
        record(batches);
        advance(group.number(), batches).forEach(Publisher::runCallback);
        notifications.forEach(Publisher::runCallback);
        progress = System.nanoTime();
    }

    /** A step that may be repeated if it fails. */
    @FunctionalInterface
    private interface Step<T> {
        T take() throws InterruptedException;
    }

    /**
     * Repeats a step while the virtual machine fails, because other threads may release memory. After
     * {@link #PATIENCE_NANOS} this thread dies, which ends the middleware; the next middleware reports the outcome of
     * the commits to their clients.
     */
    private static <T> T retryIfOutOfMemory(Step<T> step) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        while (true) {
            try {
                return step.take();
            } catch (OutOfMemoryError e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LOG.warn("a commit group cannot be published yet: {}", e.toString());
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    /**
     * Returns all batches that are published with a group. Each SCN up to the end of the group belongs to a member, to
     * a transaction that bypassed the middleware, or to a transaction that failed after it had taken the SCN. If many
     * transactions bypassed the middleware, publishes all but a bounded number of them at once.
     */
    private List<AtomicBatch> batches(CommitGroup group) throws InterruptedException {
        List<WriteSet> members = group.writeSets();
        Scn end = group.end(published);
        while (end.value() - published.value() > members.size()) {
            List<WriteSet> bypassing = durability.readBypassing(published, end);
            bypassing.forEach(bypassListener);
            if (bypassing.size() < Durability.MAX_BYPASSING) {
                return AtomicBatch.merge(members, bypassing);
            }
            Scn last = bypassing.get(bypassing.size() - 1).scn();
            int before = (int) members.stream()
                    .filter(member -> last.isAfter(member.scn()))
                    .count();
            List<AtomicBatch> batches = AtomicBatch.merge(members.subList(0, before), bypassing);
            record(batches);
            advance(publishedGroup, batches).forEach(Publisher::runCallback);
            members = members.subList(before, members.size());
            slowDown();
        }
        return AtomicBatch.merge(members, List.of());
    }

    /** Runs a callback. A failure for one client must not prevent the answers to the others. */
    static void runCallback(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            LOG.error("a reply could not be sent to a client", e);
        }
    }

    /**
     * Removes and returns the loss actions of all waiting clients. A client that waits for a group may have seen
     * commits of this group that are lost; earlier groups are published already.
     */
    private List<Runnable> takeLossActions() {
        List<Runnable> due = new ArrayList<>();
        lock.lock();
        try {
            waiters.removeIf(waiter -> waiter.lost != null && due.add(waiter.lost));
        } finally {
            lock.unlock();
        }
        return due;
    }

    /**
     * Passes a batch to all subscribers. If there is no memory for the entry, the subscriber discards its batches, and
     * its satellite catches up from the sealed WriteSets.
     */
    @GuardedBy("lock")
    private void put(List<WriteSet> writeSets, Scn end) {
        for (WriteSetSubscriber subscriber : subscribers) {
            try {
                subscriber.put(writeSets, end);
            } catch (VirtualMachineError e) {
                subscriber.drop();
            }
        }
    }

    /** Records what the batches change; must precede {@link #advance}. */
    private void record(List<AtomicBatch> batches) throws InterruptedException {
        retryIfOutOfMemory(() -> {
            batches.forEach(batch -> tableScns.publishing(batch.writeSets(), batch.end()));
            return batches;
        });
    }

    /**
     * Publishes a position in the log up to which everything is on disk, where SCNs are positions: with the commits
     * that do not come through the middleware, and perhaps with some of groups that are not published yet, whose
     * clients are answered later. Called by any thread.
     */
    void publishPosition(Scn position) {
        lock.lock();
        try {
            if (position.isAfter(published)) {
                published = position;
                put(List.of(), position);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Publishes the batches: sets the published SCN and passes the batches to the subscribers, under the lock. */
    private List<Runnable> advance(long group, List<AtomicBatch> batches) {
        List<Runnable> due = new ArrayList<>();
        lock.lock();
        try {
            // First: a satellite may apply a batch and show it while this thread waits for a processor. A read that
            // starts afterwards must require this batch.
            for (AtomicBatch batch : batches) {
                published = batch.end().isAfter(published) ? batch.end() : published;
            }
            batches.forEach(batch -> put(batch.writeSets(), batch.end()));
            publishedGroup = group;
            while (!waiters.isEmpty() && waiters.element().group <= group) {
                due.add(waiters.remove().action);
            }
        } finally {
            lock.unlock();
        }
        return due;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
