// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A set of reads of which a bounded number run at the same time, on the satellites that serve the class (paper §5.3).
 * Further ones wait in a bounded queue, without a thread, for a bounded time. Thread-safe.
 */
public final class RoutingClass {
    private static final String LIMIT_EXCEEDED = "53400";

    /** Time between two checks of a waiting read that may keep others from ending. */
    private static final long CHECK_MILLIS = 100;

    private final Definition definition;
    private final ScheduledExecutorService clock;

    /** Protects {@link #running} and {@link #waiting}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int running;

    /** In order of arrival, at most as many as the definition permits, each with the task that ends its wait. */
    @GuardedBy("lock")
    private final Map<Execution, Future<?>> waiting = new LinkedHashMap<>();

    private final LongAdder admitted = new LongAdder();
    private final LongAdder refused = new LongAdder();

    /**
     * The definition of a class. A read belongs to the class if it meets all criteria that are given.
     *
     * @param tables in lower case; a read meets this criterion if it names one of them; empty: no criterion
     * @param pattern is found in the text of the read, or the search takes too long; null: no criterion
     * @param slowerThanNanos recent executions of the text took longer than this on average; 0: no criterion
     * @param concurrency maximum number of reads that run at the same time
     * @param queue maximum number of reads that wait
     * @param waitMillis maximum time that a read waits
     */
    public record Definition(
            String name,
            Set<String> tables,
            @Nullable Pattern pattern,
            long slowerThanNanos,
            int concurrency,
            int queue,
            long waitMillis) {
        /** Returns whether both definitions say the same; patterns are compared by their texts. */
        boolean isSameAs(Definition other) {
            return name.equals(other.name)
                    && tables.equals(other.tables)
                    && String.valueOf(pattern).equals(String.valueOf(other.pattern))
                    && slowerThanNanos == other.slowerThanNanos
                    && concurrency == other.concurrency
                    && queue == other.queue
                    && waitMillis == other.waitMillis;
        }

        /** Returns whether reads belong to the class without a hint. */
        boolean hasCriteria() {
            return !tables.isEmpty() || pattern != null || slowerThanNanos > 0;
        }
    }

    /**
     * A read of the class. Exactly one of {@link #run} and {@link #refuse} is called, once, on any thread; no method
     * may block.
     */
    public interface Execution {
        /**
         * Returns whether the read keeps other reads from ending while it waits, because it has a connection that they
         * need. Such a read runs although the limit is reached: reads that the class has admitted may be among the
         * others. Called again and again while the read waits, with a lock.
         */
        boolean blocksOthers();

        /** Returns whether {@link #blocksOthers} can ever return true. */
        boolean mayBlockOthers();

        /** Runs the read; calls {@link RoutingClass#ended} when the read has been answered. */
        void run();

        /** Answers the read with an error. */
        void refuse(SQLException cause);
    }

    /**
     * The state of a class for display.
     *
     * @param admitted number of reads that have begun to run
     * @param refused number of reads that found the queue full, or have waited too long
     */
    public record Statistics(
            String name, int running, int concurrency, int waiting, int queue, long admitted, long refused) {}

    RoutingClass(Definition definition, ScheduledExecutorService clock) {
        this.definition = definition;
        this.clock = clock;
    }

    public String name() {
        return definition.name;
    }

    Definition definition() {
        return definition;
    }

    /** Runs a read immediately, or when others of the class have ended, or refuses it. */
    public void admit(Execution execution) {
        boolean runs = false;
        boolean full = false;
        lock.lock();
        try {
            if (running < definition.concurrency || execution.blocksOthers()) {
                running++;
                runs = true;
            } else if (waiting.size() >= definition.queue) {
                full = true;
            } else {
                waiting.put(execution, scheduleCheck(execution, System.nanoTime()));
            }
        } finally {
            lock.unlock();
        }
        if (runs) {
            admitted.increment();
            execution.run();
        } else if (full) {
            refuse(
                    execution,
                    "the queue of the routing class \"%s\" is full: %d may run at the same time (classes.concurrency), and %d may wait (classes.queue); try again later");
        }
    }

    /**
     * Schedules the end of a read's wait, or, if the read may block others, the next check of it.
     *
     * @param begin time at which the wait began, by {@link System#nanoTime}
     */
    private Future<?> scheduleCheck(Execution execution, long begin) {
        long left = definition.waitMillis - TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin);
        return left <= CHECK_MILLIS || !execution.mayBlockOthers()
                ? clock.schedule(() -> timeOut(execution), left, TimeUnit.MILLISECONDS)
                : clock.schedule(() -> checkAgain(execution, begin), CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void checkAgain(Execution execution, long begin) {
        boolean runs = false;
        lock.lock();
        try {
            if (waiting.containsKey(execution)) {
                runs = execution.blocksOthers();
                if (runs) {
                    waiting.remove(execution);
                    running++;
                } else {
                    waiting.put(execution, scheduleCheck(execution, begin)); // keeps its place
                }
            }
        } finally {
            lock.unlock();
        }
        if (runs) {
            admitted.increment();
            execution.run();
        }
    }

    private void timeOut(Execution execution) {
        if (withdraw(execution)) {
            refuse(
                    execution,
                    "the read has waited too long for the routing class \"%s\" (classes.wait): %d may run at the same time (classes.concurrency), and %d may wait (classes.queue); try again later");
        }
    }

    private void refuse(Execution execution, String why) {
        refused.increment();
        execution.refuse(new SQLException(
                why.formatted(definition.name, definition.concurrency, definition.queue), LIMIT_EXCEEDED));
    }

    /** Removes a read that waits. Returns false if the read does not wait. */
    public boolean withdraw(Execution execution) {
        Future<?> deadline;
        lock.lock();
        try {
            deadline = waiting.remove(execution);
        } finally {
            lock.unlock();
        }
        if (deadline != null) {
            deadline.cancel(false);
        }
        return deadline != null;
    }

    /**
     * Records that a read has ended. The next one begins on another thread, so that a series of ends needs no stack.
     */
    public void ended() {
        Execution next = null;
        lock.lock();
        try {
            running--;
            Iterator<Map.Entry<Execution, Future<?>>> first = waiting.entrySet().iterator();
            if (running < definition.concurrency && first.hasNext()) {
                Map.Entry<Execution, Future<?>> entry = first.next();
                next = entry.getKey();
                entry.getValue().cancel(false);
                first.remove();
                running++;
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            admitted.increment();
            clock.execute(next::run);
        }
    }

    Statistics statistics() {
        lock.lock();
        try {
            return new Statistics(
                    definition.name,
                    running,
                    definition.concurrency,
                    waiting.size(),
                    definition.queue,
                    admitted.sum(),
                    refused.sum());
        } finally {
            lock.unlock();
        }
    }
}
