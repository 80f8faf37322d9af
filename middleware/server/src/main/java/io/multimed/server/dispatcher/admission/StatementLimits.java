// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.dispatcher.admission;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.node.Refusals;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Limits the statements that run at the same time, of each user and in all. Further statements wait for their turn,
 * without a thread, for a bounded time: those of one user in the order of their arrival, and the users take turns, so
 * that a user with many statements does not delay the others. At most one statement per client waits. Thread-safe.
 */
public final class StatementLimits implements AutoCloseable {
    private static final String LIMIT_EXCEEDED = "53400";

    /** Written under the lock. */
    private volatile int most;

    private volatile long waitMillis;
    private final ScheduledThreadPoolExecutor clock;
    private final Refusals refusals;

    /** Protects the fields below, and those of {@link OfUser}; held for a few instructions. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private int running;

    /** Users with statements that run or wait, in the order of their turns. */
    @GuardedBy("lock")
    private final Map<String, OfUser> users = new LinkedHashMap<>();

    /** A statement. Exactly one of {@link #run} and {@link #refuse} is called, once, on any thread. Must not block. */
    public interface Execution {
        /** Runs the statement; calls {@link StatementLimits#ended} when it has been answered. */
        void run();

        /** Answers the statement with an error. */
        void refuse(SQLException cause);
    }

    /**
     * A wait.
     *
     * @param since by {@link System#nanoTime}
     * @param end the task that ends the wait; null if the wait has no limit
     */
    private record Wait(long since, @Nullable Future<?> end) {
        void cancelEnd() {
            Future<?> task = end;
            if (task != null) {
                task.cancel(false);
            }
        }
    }

    /** The statements of one user. Guarded by the lock. */
    private static final class OfUser {
        private int most;
        private int running;

        /** In order of arrival. */
        private final Map<Execution, Wait> waiting = new LinkedHashMap<>();

        boolean isFull() {
            return most > 0 && running >= most;
        }
    }

    /**
     * @param most maximum number of statements in all; 0 for no limit
     * @param waitMillis longest wait of a statement; 0 for no limit
     * @param refusals counts the statements that are refused
     */
    public StatementLimits(int most, long waitMillis, Refusals refusals) {
        this.refusals = refusals;
        this.most = most;
        this.waitMillis = waitMillis;
        this.clock = new ScheduledThreadPoolExecutor(1, new NamedThreads("statement-limits"));
        clock.setRemoveOnCancelPolicy(true);
    }

    /** Returns whether a limit applies to a user, whose statements must then be admitted. */
    public boolean apply(int mostOfUser) {
        return most > 0 || mostOfUser > 0;
    }

    /**
     * Runs a statement now, or when others have ended, or refuses it after the wait.
     *
     * @param mostOfUser maximum number of the user's statements; 0 for no limit
     * @param runsAnyway whether the statement runs even if a limit is reached: its client has a connection of a node,
     *     perhaps with locks for which the others wait
     */
    public void admit(String user, int mostOfUser, boolean runsAnyway, Execution execution) {
        boolean runs;
        lock.lock();
        try {
            OfUser own = users.computeIfAbsent(user, unused -> new OfUser());
            own.most = mostOfUser;
            runs = runsAnyway || !(isFull() || own.isFull());
            if (runs) {
                begin(own);
            } else {
                long now = System.nanoTime();
                own.waiting.put(execution, new Wait(now, scheduleEnd(user, execution, waitMillis)));
            }
        } finally {
            lock.unlock();
        }
        if (runs) {
            execution.run();
        }
    }

    @GuardedBy("lock")
    private boolean isFull() {
        return most > 0 && running >= most;
    }

    @GuardedBy("lock")
    private void begin(OfUser own) {
        running++;
        own.running++;
    }

    /**
     * Changes the limits. Statements that run continue, also those above a smaller limit; statements that wait begin if
     * a larger limit permits it, and their waits end by the new time.
     *
     * @param nextMost maximum number of statements in all; 0 for no limit
     * @param nextWaitMillis longest wait of a statement; 0 for no limit
     * @param mostOfUser returns the maximum number of a user's statements; 0 for no limit
     */
    public void setLimits(int nextMost, long nextWaitMillis, ToIntFunction<String> mostOfUser) {
        List<Execution> next;
        lock.lock();
        try {
            most = nextMost;
            waitMillis = nextWaitMillis;
            users.forEach((user, own) -> {
                own.most = mostOfUser.applyAsInt(user);
                own.waiting.replaceAll((execution, wait) -> again(user, execution, wait));
            });
            next = takeAllNext();
        } finally {
            lock.unlock();
        }
        next.forEach(execution -> clock.execute(execution::run));
    }

    private Wait again(String user, Execution execution, Wait wait) {
        wait.cancelEnd();
        long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - wait.since);
        return new Wait(wait.since, scheduleEnd(user, execution, waitMillis - waited));
    }

    /** @param millis from now; less than 1 if the time is over */
    private @Nullable Future<?> scheduleEnd(String user, Execution execution, long millis) {
        return waitMillis == 0 || clock.isShutdown()
                ? null
                : clock.schedule(() -> timeOut(user, execution), millis, TimeUnit.MILLISECONDS);
    }

    private void timeOut(String user, Execution execution) {
        double seconds = waitMillis / 1e3;
        String limits = limits(user);
        Refusals.Limit reached = reached(user);
        if (withdraw(user, execution)) {
            refusals.count(reached);
            execution.refuse(new SQLException(
                    "the statement has waited for %.1f s, because as many statements run as may run at the same time (listen.limits.acquire-timeout; %s): run it again later, run fewer at the same time, or raise the limit"
                            .formatted(seconds, limits),
                    LIMIT_EXCEEDED));
        }
    }

    private Refusals.Limit reached(String user) {
        lock.lock();
        try {
            OfUser own = users.get(user);
            return own != null && own.isFull() ? Refusals.Limit.STATEMENTS_PER_USER : Refusals.Limit.STATEMENTS;
        } finally {
            lock.unlock();
        }
    }

    private int mostOf(String user) {
        lock.lock();
        try {
            OfUser own = users.get(user);
            return own == null ? 0 : own.most;
        } finally {
            lock.unlock();
        }
    }

    private String limits(String user) {
        List<String> limits = new ArrayList<>();
        int mostOfUser = mostOf(user);
        if (mostOfUser > 0) {
            limits.add("listen.limits.statements-per-user, or max-statements of the user \"%s\": %d"
                    .formatted(user, mostOfUser));
        }
        if (most > 0) {
            limits.add("listen.limits.statements: %d".formatted(most));
        }
        return String.join("; ", limits);
    }

    /** Removes a statement that waits. Returns false if the statement does not wait. */
    public boolean withdraw(String user, Execution execution) {
        lock.lock();
        try {
            OfUser own = users.get(user);
            Wait wait = own == null ? null : own.waiting.remove(execution);
            if (own == null || wait == null) {
                return false;
            }
            wait.cancelEnd();
            forgetIfUnused(user, own);
            return true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void forgetIfUnused(String user, OfUser own) {
        if (own.running == 0 && own.waiting.isEmpty()) {
            users.remove(user);
        }
    }

    /**
     * Records that a statement was answered. Those whose turn it is begin on another thread, so that a series of ends
     * needs no stack.
     */
    public void ended(String user) {
        List<Execution> next;
        lock.lock();
        try {
            running--;
            OfUser own = users.get(user);
            if (own != null) {
                own.running--;
                forgetIfUnused(user, own);
            }
            next = takeAllNext();
        } finally {
            lock.unlock();
        }
        next.forEach(execution -> clock.execute(execution::run));
    }

    /** Begins the statements that may run now, and returns them. */
    @GuardedBy("lock")
    private List<Execution> takeAllNext() {
        List<Execution> next = new ArrayList<>();
        Execution turn = takeNext();
        while (turn != null) {
            next.add(turn);
            turn = takeNext();
        }
        return next;
    }

    /** Begins the statement whose turn it is, and returns it; null if none may run. */
    @GuardedBy("lock")
    private @Nullable Execution takeNext() {
        if (isFull()) {
            return null;
        }
        for (Map.Entry<String, OfUser> each : users.entrySet()) {
            OfUser own = each.getValue();
            if (!own.waiting.isEmpty() && !own.isFull()) {
                String user = each.getKey();
                users.remove(user);
                users.put(user, own); // behind the other users
                begin(own);
                return takeFirst(own);
            }
        }
        return null;
    }

    private static Execution takeFirst(OfUser own) {
        Map.Entry<Execution, Wait> first = own.waiting.entrySet().iterator().next();
        Execution execution = first.getKey();
        first.getValue().cancelEnd();
        own.waiting.remove(execution);
        return execution;
    }

    /** Returns the number of statements that run. */
    public int running() {
        lock.lock();
        try {
            return running;
        } finally {
            lock.unlock();
        }
    }

    public int waiting() {
        lock.lock();
        try {
            return users.values().stream().mapToInt(own -> own.waiting.size()).sum();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
