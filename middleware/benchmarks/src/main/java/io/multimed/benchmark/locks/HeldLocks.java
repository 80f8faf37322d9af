// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.benchmark.locks;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Receives the calls that {@link LockTransformer} inserts. The statistics are as many as the locks in the code. */
public final class HeldLocks {
    private static final Map<String, LockStatistics> ALL = new ConcurrentHashMap<>();

    /** What the thread holds, the latest first. */
    private static final ThreadLocal<Deque<Held>> HELD = ThreadLocal.withInitial(ArrayDeque::new);

    /** A lock, or the name of a monitor, that a thread holds. */
    private static final class Held {
        private final Object what;
        private final LockStatistics statistics;
        private long since = System.nanoTime();

        /** Of earlier times in which the thread held the lock, before it waited for a condition. */
        private long nanosBefore;

        /** Remains if a wait for a condition ends by an exception: the last part of the time is unknown then. */
        private boolean waits;

        Held(Object what, LockStatistics statistics) {
            this.what = what;
            this.statistics = statistics;
        }
    }

    private HeldLocks() {}

    private static LockStatistics of(String name) {
        LockStatistics known = ALL.get(name);
        return known == null ? ALL.computeIfAbsent(name, LockStatistics::new) : known;
    }

    private static void push(Object what, LockStatistics statistics) {
        HELD.get().push(new Held(what, statistics));
    }

    /** Takes the lock, and notes the wait. */
    public static void lock(ReentrantLock lock, String name) {
        LockStatistics statistics = of(name);
        if (!lock.tryLock()) {
            long begin = System.nanoTime();
            lock.lock();
            statistics.waited(System.nanoTime() - begin);
        }
        push(lock, statistics);
    }

    /** Takes the lock, and notes the wait. */
    public static void lockInterruptibly(ReentrantLock lock, String name) throws InterruptedException {
        LockStatistics statistics = of(name);
        if (!lock.tryLock()) {
            long begin = System.nanoTime();
            lock.lockInterruptibly();
            statistics.waited(System.nanoTime() - begin);
        }
        push(lock, statistics);
    }

    /** Takes the lock if it is free. */
    public static boolean tryLock(ReentrantLock lock, String name) {
        return pushIf(lock.tryLock(), lock, of(name));
    }

    /** Takes the lock if it becomes free in time. */
    public static boolean tryLock(ReentrantLock lock, long time, TimeUnit unit, String name)
            throws InterruptedException {
        LockStatistics statistics = of(name);
        boolean isTaken = lock.tryLock();
        if (!isTaken) {
            long begin = System.nanoTime();
            isTaken = lock.tryLock(time, unit);
            statistics.waited(System.nanoTime() - begin);
        }
        return pushIf(isTaken, lock, statistics);
    }

    private static boolean pushIf(boolean isTaken, ReentrantLock lock, LockStatistics statistics) {
        if (isTaken) {
            push(lock, statistics);
        }
        return isTaken;
    }

    /** Releases the lock, then notes for how long it was held. */
    public static void unlock(ReentrantLock lock, String name) {
        long end = System.nanoTime();
        lock.unlock();
        pop(lock, end);
    }

    /** The thread has entered a monitor. */
    public static void enter(String name) {
        push(name, of(name));
    }

    /** The thread is about to leave a monitor. */
    public static void leave(String name) {
        pop(name, System.nanoTime());
    }

    /** Removes the latest entry of a lock, and what remains above it of methods that ended by an exception. */
    private static void pop(Object what, long end) {
        Deque<Held> held = HELD.get();
        Iterator<Held> entries = held.iterator();
        while (entries.hasNext()) {
            Held entry = entries.next();
            if (entry.what == what) {
                while (held.pop() != entry) {}
                entry.statistics.held(entry.nanosBefore + (entry.waits ? 0 : end - entry.since));
                return;
            }
        }
    }

    /** The thread is about to wait for a condition, which releases the lock that the thread took last. */
    public static void beforeWait() {
        Held entry = HELD.get().peek();
        if (entry != null) {
            entry.nanosBefore += System.nanoTime() - entry.since;
            entry.waits = true;
        }
    }

    /** The thread has waited for a condition, and holds the lock again. */
    public static void afterWait() {
        Held entry = HELD.get().peek();
        if (entry != null) {
            entry.since = System.nanoTime();
            entry.waits = false;
        }
    }

    /** Returns a table, beginning with the locks for which threads have waited for the longest time in total. */
    static String report() {
        List<LockStatistics> all = new ArrayList<>();
        ALL.values().forEach(each -> all.add(each.copy()));
        all.sort(Comparator.comparing(LockStatistics::totalWait).reversed().thenComparing(LockStatistics::name));
        StringBuilder report = new StringBuilder(LockStatistics.HEADER);
        all.forEach(each -> report.append(each.line()));
        return report.toString();
    }
}
