package io.multimed.server.propagation.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.writeset.Scn;
import io.multimed.engine.writeset.WriteSet;
import io.multimed.server.node.CriticalThreads;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes committed groups durable and publishes them (architecture 4.2): their WriteSets go to the satellites' subscribers, the last published SCN moves to
 * the group's end, the clients get their answers. One thread; it takes all groups that have committed meanwhile and forces the log once for all of them.
 *
 * <p>The groups that wait are bounded by the clients, each of which waits for one commit.
 */
public final class Publisher implements GroupCommitOrder.Committed, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    /** Time for which the virtual machine may fail before the publisher gives up. */
    static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private static final long RETRY_MILLIS = 100;

    /** The longest time that a full subscriber delays one group. */
    private static final long SLOW_DOWN_MILLIS = 20;

    private final LinkedBlockingQueue<CommitGroup> committed = new LinkedBlockingQueue<>();
    private final Durability durability;
    private final Thread thread;

    /** Protects {@link #subscribers}, {@link #waiters} and the moving of {@link #published}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final List<WriteSetSubscriber> subscribers = new ArrayList<>();

    @GuardedBy("lock")
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>();

    private volatile Scn published;

    /** For members that have no place in the order of their own. Set before the publisher starts. */
    private VisibilityBarrier visibilityBarrier = (action, lost) -> action.run();

    /** Hears each WriteSet that did not come through the middleware, before it is published. */
    private volatile Consumer<WriteSet> bypassListener = writeSet -> {};

    /**
     * Receives each WriteSet that came through the middleware, before it is published. Set before the publisher starts.
     */
    private Consumer<WriteSet> commitListener = writeSet -> {};

    /** Added to by the publisher's thread only. */
    private final LongAdder losses = new LongAdder();

    /** The number of the last group that was published; moves just after {@link #published}. */
    private volatile long publishedGroup;

    /** Something to be told once a group is published; {@code lost} is null for what does not mind a crash. */
    private record Waiter(
            long group, Runnable action, @Nullable Runnable lost) implements Comparable<Waiter> {
        @Override
        public int compareTo(Waiter other) {
            return Long.compare(group, other.group);
        }
    }

    /** @param criticalThreads watch the publisher's thread */
    Publisher(Scn published, Durability durability, CriticalThreads criticalThreads) {
        this.published = published;
        this.durability = durability;
        this.thread = criticalThreads.thread("publisher", this::run);
    }

    void setVisibilityBarrier(VisibilityBarrier barrier) {
        visibilityBarrier = barrier;
    }

    /** @param listener hears each WriteSet that did not come through the middleware, before it is published, on the publisher's thread; must not block */
    public void onBypassedCommit(Consumer<WriteSet> listener) {
        bypassListener = listener;
    }

    /** @param listener receives each WriteSet that came through the middleware, in order, on the publisher's thread */
    void onCommit(Consumer<WriteSet> listener) {
        commitListener = listener;
    }

    void start() {
        thread.start();
    }

    @Override
    public void accept(CommitGroup group) {
        committed.add(group);
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

    /** A read that starts now must see all commits up to this SCN. */
    public Scn published() {
        return published;
    }

    /**
     * Runs an action as soon as a group is published: at once on this thread, or on the publisher's, so it must not block. The end of a transaction on the
     * master is told this way: nobody acts on what a crash may still undo.
     *
     * @param lost is run instead if a crash has undone something of that group or of one before it
     */
    public void whenPublished(long group, Runnable action, Runnable lost) {
        if (!addWaiter(group, action, lost)) {
            action.run();
        }
    }

    /** How often a crash of the master has undone commits that it had shown already. A read that began at another count may have seen some of them. */
    public long lossCount() {
        return losses.sum();
    }

    /** Returns the error for a commit, or a read, that the master's crash has undone. */
    public static SQLException lostError() {
        return new SQLException(
                "the transaction was rolled back: the master was lost before its commit, or one that it saw, was durable; run it again",
                "40001");
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
        List<CommitGroup> groups = new ArrayList<>();
        try {
            while (true) {
                groups.add(committed.take());
                committed.drainTo(groups);
                durability.makeDurable(groups);
                for (CommitGroup group : groups) {
                    slowDown();
                    publish(group);
                }
                groups.clear();
            }
        } catch (InterruptedException e) {
            LOG.debug("publisher stops", e);
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

    private void publish(CommitGroup group) throws InterruptedException {
        retryIfOutOfMemory(() -> {
            group.writeSets().forEach(commitListener);
            return group;
        });
        List<AtomicBatch> batches = retryIfOutOfMemory(() -> batches(group));
        List<Runnable> notifications =
                retryIfOutOfMemory(() -> group.notifications(visibilityBarrier, this::published));
        if (group.hasLost()) {
            losses.increment(); // first: whoever is not among those that wait now will see it
            retryIfOutOfMemory(this::takeLossActions).forEach(Publisher::runCallback);
        }
        advance(group.number(), batches).forEach(Publisher::runCallback);
        notifications.forEach(Publisher::runCallback);
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
            } catch (VirtualMachineError e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LOG.warn("a commit group cannot be published yet: {}", e.toString());
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    /**
     * All that is to be published with a group. Every SCN up to its end is its members', or of a transaction that bypassListener the middleware, or of one that failed after it had taken it. Of
     * those that bypassListener, all but a bounded number are published before.
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
            advance(publishedGroup, AtomicBatch.merge(members.subList(0, before), bypassing))
                    .forEach(Publisher::runCallback);
            members = members.subList(before, members.size());
            slowDown();
        }
        return AtomicBatch.merge(members, List.of());
    }

    /** One client's trouble must not keep the answers of all others. */
    static void runCallback(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException | StackOverflowError | LinkageError | AssertionError e) {
            LOG.error("an answer could not be given", e);
        }
    }

    /**
     * Clients that wait for a group may have seen a part of it that is lost: all that wait now, because earlier groups
     * are published.
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
     * If there is no memory for the entry, has the subscriber discard its batches: its satellite catches up from the sealed
     * WriteSets.
     */
    @GuardedBy("lock")
    private void put(AtomicBatch batch) {
        for (WriteSetSubscriber subscriber : subscribers) {
            try {
                subscriber.put(batch.writeSets(), batch.end());
            } catch (VirtualMachineError e) {
                subscriber.drop();
            }
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
                published = batch.end();
            }
            batches.forEach(this::put);
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
