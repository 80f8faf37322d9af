// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.propagation.commit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.writeset.Scn;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.task.CallingThread;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Commits transactions in groups (architecture 4.2). A member joins the gathering group. The gathering group closes
 * when the previous group has committed. Its members then commit concurrently, each on its own connection. The thread
 * of the last member passes the group to the publisher, in order, and closes the next group.
 *
 * <p>With groups of one member this is the paper's Algorithm 1: one commit at a time.
 *
 * <p>States: <i>idle</i> (nothing commits) - {@link #commit} or {@link #pause} - <i>busy</i> (a group commits, or the
 * order is paused) - the last member's return or {@link #resume} - idle, or busy with the next group. The number of
 * gathering members is bounded by the master's connections.
 */
public final class GroupCommitOrder implements CommitOrder {
    /** Maximum number of members of one role in a group, whose end all clients wait for: one shared transaction. */
    private static final int MAX_OF_ROLE = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final Committed committed;
    private final Predicate<SQLException> mayHaveCommitted;
    private final int largestGroup;
    private final boolean oneByOne;
    private final CriticalThreads criticalThreads;

    /** Members that wait for the previous group to commit. */
    @GuardedBy("lock")
    private final ArrayDeque<CommitMember> gathering = new ArrayDeque<>();

    @GuardedBy("lock")
    private boolean busy;

    /** Number of threads that wait for a pause; they precede the next group. */
    @GuardedBy("lock")
    private int pausing;

    @GuardedBy("lock")
    private long commits;

    /** Number of these commits that were executed inside their groups. */
    @GuardedBy("lock")
    private long inside;

    /** The number of the last group. Written under the lock, read without. */
    private volatile long begun;

    /** The group whose members commit; null if there is none. Written under the lock, read without. */
    private volatile @Nullable CommitGroup committing;

    /** Begin of the present pause, by {@link System#nanoTime}; 0 if there is none. Written under the lock. */
    private volatile long pausedSince;

    /** Receives committed groups. */
    interface Committed {
        /** Receives a group when all its members have returned. Groups arrive in order. Must not block. */
        void enqueue(CommitGroup group);

        /**
         * Offers a group to be published by the calling thread, in place of {@link #enqueue}. Must not block.
         *
         * @return whether the calling thread must now call {@link #publishClaimed}; otherwise the group is not accepted
         */
        boolean claim(CommitGroup group);

        /** Publishes a group that the calling thread has claimed. Later groups wait until this method returns. */
        void publishClaimed(CommitGroup group);

        /** Runs an action, which must not block, when a group is published. */
        void whenPublished(long group, Runnable action);

        /** Waits until a group is published, and returns the published SCN. */
        Scn awaitPublished(long group) throws InterruptedException;
    }

    /**
     * @param largestGroup maximum number of members of a group
     * @param oneByOne whether the members of a group commit one after the other
     * @param mayHaveCommitted returns whether a member that failed with this exception may have committed, because its
     * connection broke
     * @param criticalThreads receives failures that would leave a group, and all groups behind it, waiting
     */
    GroupCommitOrder(
            int largestGroup,
            boolean oneByOne,
            Committed committed,
            Predicate<SQLException> mayHaveCommitted,
            CriticalThreads criticalThreads) {
        this.mayHaveCommitted = mayHaveCommitted;
        this.criticalThreads = criticalThreads;
        this.largestGroup = largestGroup;
        this.oneByOne = oneByOne;
        this.committed = committed;
    }

    @Override
    public void commit(CommitMember member) {
        CommitGroup group = join(member);
        if (group != null) {
            criticalThreads.guarded("commit order", () -> start(group)).run();
        }
    }

    @Override
    public long begun() {
        return begun;
    }

    private @Nullable CommitGroup join(CommitMember member) {
        lock.lock();
        try {
            gathering.add(member);
            return busy || pausing > 0 ? null : close();
        } finally {
            lock.unlock();
        }
    }

    /** Closes the gathering group and returns it; returns null if no member is waiting. */
    @GuardedBy("lock")
    private @Nullable CommitGroup close() {
        if (gathering.isEmpty()) {
            busy = false;
            return null;
        }
        List<CommitMember> members = gathered();
        busy = true;
        long number = begun + 1;
        begun = number; // before any member commits: a client that sees one of the commits waits for this group
        commits += members.size();
        inside += members.stream().filter(member -> !member.runsOnAnyThread()).count();
        CommitGroup group = new CommitGroup(number, members, mayHaveCommitted);
        committing = group;
        return group;
    }

    /** Returns the group whose members commit now; null if there is none. */
    @Nullable
    CommitGroup committing() {
        return committing;
    }

    /** Returns for how long the order has been paused; 0 if it is not. */
    long pausedNanos() {
        long since = pausedSince;
        return since == 0 ? 0 : System.nanoTime() - since;
    }

    /** Removes the members of the next group. A role with many members leaves the further ones to later groups. */
    @GuardedBy("lock")
    private List<CommitMember> gathered() {
        List<CommitMember> members = new ArrayList<>(Math.min(gathering.size(), largestGroup));
        ArrayDeque<CommitMember> later = new ArrayDeque<>();
        Map<String, Integer> ofRoles = new HashMap<>();
        boolean full = false;
        while (!full && !gathering.isEmpty()) {
            CommitMember next = gathering.element();
            boolean alone = next.isAlone();
            String role = next.role();
            if (role != null && ofRoles.merge(role, 1, Integer::sum) > MAX_OF_ROLE) {
                later.add(gathering.remove());
            } else if (members.isEmpty() || !alone) {
                members.add(gathering.remove());
            }
            full = alone || members.size() == largestGroup;
        }
        while (!later.isEmpty()) {
            gathering.addFirst(later.removeLast());
        }
        return members;
    }

    /** Issues all COMMITs of a group, and of further ones whose turn comes. */
    private void start(CommitGroup group) {
        startNext(commit(group));
    }

    /**
     * Issues all COMMITs: one of them on this thread if a member permits it, the others on threads of their own.
     *
     * @return the next group if this thread has committed the last member; null if another thread continues
     */
    private @Nullable CommitGroup commit(CommitGroup group) {
        return oneByOne ? commitInTurn(group, group.parts(), 0, false) : commitAtOnce(group);
    }

    /** Returns the next group if this thread has committed the last member; null if another thread continues. */
    private @Nullable CommitGroup commitAtOnce(CommitGroup group) {
        int here = group.anyThreadMember();
        for (List<Integer> part : group.parts()) {
            if (part.get(0) != here) {
                dispatch(group, part);
            }
        }
        return here >= 0 && group.commit(here) ? finish(group) : null;
    }

    /**
     * Continues with the groups behind one whose members have returned. The thread of a client does so as long as it
     * would wait for its own answer otherwise: to wake another thread costs more than a COMMIT.
     */
    private void startNext(@Nullable CommitGroup group) {
        CallingThread caller = CallingThread.current();
        boolean interrupted = false;
        CommitGroup next = group;
        while (next != null && (caller == null || (caller.isIdle() && !next.mayRunCode()))) {
            interrupted |= caller != null && Thread.interrupted(); // of this client, not of those whose commits follow
            next = commit(next);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (next != null) {
            handOver(next);
        }
    }

    /** Lets a thread of the group continue: the present one belongs to a client that has its answer. */
    private void handOver(CommitGroup group) {
        group.member(Math.max(0, group.anyThreadMember()))
                .submit(criticalThreads.guarded("commit order", () -> start(group)));
    }

    /**
     * Commits the parts of a group one after the other, each on a thread that its members permit.
     *
     * @param from the first part that has not committed
     * @param ownThread whether this thread belongs to that part
     * @return the next group if this thread has committed the last part; null if another thread continues
     */
    private @Nullable CommitGroup commitInTurn(
            CommitGroup group, List<List<Integer>> parts, int from, boolean ownThread) {
        boolean own = ownThread;
        for (int i = from; ; i++) {
            List<Integer> part = parts.get(i);
            CommitMember first = group.member(part.get(0));
            if (!own && (!first.runsOnAnyThread() || hasOtherWork())) {
                int at = i;
                first.submit(
                        criticalThreads.guarded("commit order", () -> startNext(commitInTurn(group, parts, at, true))));
                return null;
            }
            own = false;
            if (group.commit(part)) {
                return finish(group);
            }
        }
    }

    /** Returns whether the present thread is that of a client that has its answer, or another task to do. */
    private static boolean hasOtherWork() {
        CallingThread caller = CallingThread.current();
        return caller != null && !caller.isIdle();
    }

    private void dispatch(CommitGroup group, List<Integer> part) {
        group.member(part.get(0)).submit(criticalThreads.guarded("commit order", () -> {
            if (group.commit(part)) {
                startNext(finish(group));
            }
        }));
    }

    /**
     * Passes the group to the publisher and closes the next group. If no other member is waiting, this thread publishes
     * the group itself where possible: a hand-over to another thread would only delay the client. If the connection of
     * a member broke, that member may still take its SCN: the next group then begins only when the member's outcome is
     * known.
     */
    private @Nullable CommitGroup finish(CommitGroup group) {
        boolean openEnded = group.hasMemberInDoubt();
        CommitGroup next = null;
        boolean claimed;
        lock.lock();
        try {
            committing = null;
            claimed = gathering.isEmpty() && committed.claim(group);
            if (!claimed) {
                committed.enqueue(group);
            }
            if (!openEnded) {
                next = next();
            }
        } finally {
            lock.unlock();
        }
        if (claimed) {
            committed.publishClaimed(group);
        }
        if (openEnded) {
            committed.whenPublished(group.number(), this::resume);
        }
        return next;
    }

    @GuardedBy("lock")
    private @Nullable CommitGroup next() {
        if (pausing > 0) {
            busy = false;
            idle.signal();
            return null;
        }
        return close();
    }

    @Override
    public CommitCounts counts() {
        lock.lock();
        try {
            return new CommitCounts(begun, commits, inside);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Scn pause() throws InterruptedException {
        hold();
        try {
            return committed.awaitPublished(begun);
        } catch (InterruptedException e) {
            resume();
            throw e;
        }
    }

    /** If the wait is interrupted, the turn passes on: the last group may have ended for this wait. */
    private void hold() throws InterruptedException {
        CommitGroup next = null;
        lock.lockInterruptibly();
        try {
            pausing++;
            boolean held = false;
            try {
                while (busy) {
                    idle.await();
                }
                busy = true;
                held = true;
                pausedSince = System.nanoTime();
            } finally {
                pausing--;
                next = held || busy ? null : next();
            }
        } finally {
            lock.unlock();
            startElsewhere(next);
        }
    }

    @Override
    public void resume() {
        CommitGroup next;
        lock.lock();
        try {
            pausedSince = 0;
            next = next();
        } finally {
            lock.unlock();
        }
        startElsewhere(next);
    }

    private void startElsewhere(@Nullable CommitGroup group) {
        if (group != null) {
            int here = group.anyThreadMember();
            if (here >= 0) {
                group.member(here)
                        .submit(criticalThreads.guarded(
                                "commit order",
                                () -> start(group))); // this thread must not execute clients' statements
            } else {
                start(group);
            }
        }
    }
}
