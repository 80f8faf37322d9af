// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.multimed.engine.Engine;
import io.multimed.server.node.Lease;
import io.multimed.server.node.NamedThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connections for grouped statements of roles. All commits of a group wait for its statements, so that nothing here
 * waits for a login: a thread of its own opens connections, and a role without one runs its statements outside of
 * groups. All roles together have a limited number of open connections; each has at most its share of them, and at most
 * as many of its statements run at the same time. Connections that are idle for a while are closed. Thread-safe.
 */
final class RoleGroups implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RoleGroups.class);

    /** Time without a statement after which a connection is closed. */
    static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(30);

    /** Time without a statement after which another role may have the place of a connection. */
    private static final long SPARE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Time without a statement after which a connection is tested before its use. */
    private static final long UNTESTED_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int TEST_SECONDS = 1;

    /** Age at which a connection is replaced, as in the other pools. */
    private static final long OLD_NANOS = TimeUnit.MINUTES.toNanos(30);

    /** Pause after a failed login, and after a role was found whose statements must run outside of groups. */
    private static final long FAILED_NANOS = TimeUnit.SECONDS.toNanos(5);

    private static final long UNSUITABLE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /**
     * Limits the wait for a connection that another statement of the role is using, which ends within the engine's
     * limits for groups.
     */
    private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** SQLState of a statement that must leave its group. */
    private static final String LEAVES = "57000";

    private final Engine engine;
    private final Executor threads;
    private final int most;

    /** One thread, which exists as long as there is something to do. Holds at most one task for each role. */
    private final ThreadPoolExecutor logins;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition returned = lock.newCondition();

    /**
     * The roles of statements of the last time: {@link #closeIdle} removes the others. Changed under {@link #lock},
     * read without.
     */
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();

    @GuardedBy("lock")
    private final IdentityHashMap<Connection, Taken> inUse = new IdentityHashMap<>();

    /** Number of open connections, and of logins that have begun. */
    @GuardedBy("lock")
    private int open;

    /** Increases when the existing connections become outdated. */
    @GuardedBy("lock")
    private int generation;

    /** Until when roles give up connections beyond their share, by {@link System#nanoTime}. */
    @GuardedBy("lock")
    private long contested = System.nanoTime();

    private volatile @Nullable GroupConnectionOpener opener;

    /** The connections and the waiting tasks of one role. Its fields are guarded by {@link #lock}. */
    private static final class Lane {
        private final String role;
        private final Deque<Ready> ready = new ArrayDeque<>();
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private int running;

        private int open;

        /** Whether {@link #open} is positive; read without the lock. */
        private volatile boolean isReady;

        private boolean opens;
        private long mayOpen = System.nanoTime();

        Lane(String role) {
            this.role = role;
        }

        void count(int more) {
            open += more;
            isReady = open > 0;
        }

        boolean isUnused(long now) {
            return open == 0 && !opens && running == 0 && now - mayOpen >= 0;
        }
    }

    /** @param since last use, and {@code opened} the login, by {@link System#nanoTime} */
    private record Ready(Connection connection, long opened, long since, int generation) {}

    private record Taken(Lane lane, Ready ready) {}

    /**
     * @param threads run the tasks
     * @param most maximum number of connections
     */
    RoleGroups(String node, Engine engine, Executor threads, int most) {
        this.engine = engine;
        this.threads = threads;
        this.most = most;
        this.logins = new ThreadPoolExecutor(
                1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), new NamedThreads(node + "-group-logins"));
        this.logins.allowCoreThreadTimeOut(true);
    }

    void openBy(GroupConnectionOpener next) {
        opener = next;
    }

    /** Returns whether a role has a connection; otherwise has one opened, as far as possible. Does not block. */
    boolean isReady(String role) {
        Lane lane = lanes.get(role);
        if (lane != null && lane.isReady) {
            return true;
        }
        lock.lock();
        try {
            login(lanes.computeIfAbsent(role, Lane::new));
        } finally {
            lock.unlock();
        }
        return false;
    }

    @GuardedBy("lock")
    private void login(Lane lane) {
        if (opener == null || lane.opens || System.nanoTime() - lane.mayOpen < 0) {
            return;
        }
        lane.opens = true;
        try {
            logins.execute(() -> open(lane));
        } catch (RejectedExecutionException e) {
            lane.opens = false; // shutting down
        }
    }

    /** Runs a task of a role when one of the role's connections is free. */
    void execute(String role, Runnable work) {
        Lane lane;
        lock.lock();
        try {
            lane = lanes.computeIfAbsent(role, Lane::new);
            if (lane.running > 0 && lane.running >= lane.open) {
                lane.tasks.add(work);
                if (lane.open < share()) {
                    login(lane);
                }
                return;
            }
            lane.running++;
        } finally {
            lock.unlock();
        }
        threads.execute(() -> run(lane, work));
    }

    /** The next task goes to the end of the threads' queue, so that roles take turns. */
    private void run(Lane lane, Runnable work) {
        try {
            work.run();
        } finally {
            Runnable next;
            lock.lock();
            try {
                next = lane.tasks.poll();
                if (next == null) {
                    lane.running--;
                }
            } finally {
                lock.unlock();
            }
            if (next != null) {
                threads.execute(() -> run(lane, next));
            }
        }
    }

    /**
     * Returns a connection of the role. Waits at most for statements that are running.
     *
     * @throws SQLException 57000 if the role has none, so that the statement must leave its group
     */
    Connection take(String role) throws SQLException {
        Ready next = poll(role);
        while (!isSound(next)) {
            drop(next.connection);
            next = poll(role);
        }
        return next.connection;
    }

    private Ready poll(String role) throws SQLException {
        long nanos = WAIT_NANOS;
        lock.lock();
        try {
            Lane lane = lanes.get(role);
            while (lane != null && lane.open > 0 && lane.ready.isEmpty() && nanos > 0) {
                nanos = returned.awaitNanos(nanos);
            }
            Ready next = lane == null ? null : lane.ready.poll();
            if (lane == null || next == null) {
                throw new SQLException("the role \"%s\" has no connection for commit groups".formatted(role), LEAVES);
            }
            inUse.put(next.connection, new Taken(lane, next));
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", LEAVES, e);
        } finally {
            lock.unlock();
        }
    }

    private static boolean isSound(Ready next) throws SQLException {
        return System.nanoTime() - next.since < UNTESTED_NANOS || next.connection.isValid(TEST_SECONDS);
    }

    /** Returns whether the connection is one that {@link #take} has returned. */
    boolean has(Connection connection) {
        lock.lock();
        try {
            return inUse.containsKey(connection);
        } finally {
            lock.unlock();
        }
    }

    /** Returns a connection; closes it if it cannot serve further statements of its role. */
    void giveBack(Connection connection) {
        boolean keeps = false;
        boolean broken = Lease.isBroken(connection);
        lock.lock();
        try {
            Taken taken = inUse.get(connection);
            if (taken == null) {
                return;
            }
            long now = System.nanoTime();
            Lane lane = taken.lane;
            Ready before = taken.ready;
            keeps = !broken
                    && before.generation == generation
                    && now - before.opened < OLD_NANOS
                    && (lane.open <= share() || now - contested > 0);
            if (keeps) {
                inUse.remove(connection);
                lane.ready.addFirst(new Ready(connection, before.opened, now, generation));
                returned.signalAll();
            }
        } finally {
            lock.unlock();
        }
        if (!keeps) {
            drop(connection);
        }
    }

    /** Closes a connection that was taken. */
    void drop(Connection connection) {
        lock.lock();
        try {
            Taken taken = inUse.remove(connection);
            if (taken != null) {
                closed(taken.lane);
            }
        } finally {
            lock.unlock();
        }
        close(connection);
    }

    /** Restores the initial state of a session in which a statement has failed. */
    void clear(Connection connection) {
        if (Lease.isBroken(connection)) {
            return;
        }
        try {
            engine.clearSession(connection);
        } catch (SQLException e) {
            LOG.debug("a session could not be cleared", e);
            drop(connection);
        }
    }

    @GuardedBy("lock")
    private void closed(Lane lane) {
        lane.count(-1);
        open--;
        returned.signalAll();
    }

    /** Returns the number of connections that each role may have. */
    @GuardedBy("lock")
    private int share() {
        long roles = lanes.values().stream()
                .filter(lane -> lane.open > 0 || lane.opens)
                .count();
        return (int) Math.max(1, most / Math.max(1, roles));
    }

    /** Opens one more connection of a role. Runs on the thread for logins. */
    private void open(Lane lane) {
        GroupConnectionOpener current = opener;
        long pause = SPARE_NANOS;
        Connection opened = null;
        int begun = begin(lane);
        if (begun >= 0 && current != null) {
            try {
                opened = current.open(lane.role);
                pause = 0;
            } catch (SQLException | RuntimeException e) {
                boolean unsuitable = e instanceof SQLException failure && "0A000".equals(failure.getSQLState());
                pause = unsuitable ? UNSUITABLE_NANOS : FAILED_NANOS;
                LOG.debug("the statements of the role \"{}\" run outside of commit groups", lane.role, e);
            } catch (LinkageError | VirtualMachineError | AssertionError e) {
                pause = FAILED_NANOS;
                LOG.error("no connection can be opened for commit groups of the role \"{}\"", lane.role, e);
            }
        }
        end(lane, begun, opened, pause);
    }

    /** Reserves a place for a connection, and returns its generation; -1 if there is none. */
    private int begin(Lane lane) {
        Connection replaced = null;
        lock.lock();
        try {
            if (lane.open > 0 && lane.open >= share()) {
                return -1;
            }
            if (open >= most) {
                contested = System.nanoTime() + 2 * SPARE_NANOS;
                replaced = spare();
                if (replaced == null) {
                    return -1;
                }
            }
            open++;
            return generation;
        } finally {
            lock.unlock();
            if (replaced != null) {
                close(replaced);
            }
        }
    }

    /** Removes an idle connection of a role with more than its share, or one that is not needed at present. */
    @GuardedBy("lock")
    private @Nullable Connection spare() {
        long now = System.nanoTime();
        int share = share();
        for (Lane lane : lanes.values()) {
            Ready last = lane.ready.peekLast();
            if (last != null && (lane.open > share || now - last.since > SPARE_NANOS)) {
                lane.ready.removeLast();
                closed(lane);
                return last.connection;
            }
        }
        return null;
    }

    private void end(Lane lane, int begun, @Nullable Connection opened, long pause) {
        boolean keeps = false;
        lock.lock();
        try {
            lane.opens = false;
            lane.mayOpen = System.nanoTime() + pause;
            if (begun >= 0 && opened == null) {
                open--;
            } else if (opened != null) {
                keeps = begun == generation && opener != null;
                if (keeps) {
                    lane.count(1);
                    long now = System.nanoTime();
                    lane.ready.addFirst(new Ready(opened, now, now, generation));
                    returned.signalAll();
                } else {
                    open--;
                }
            }
        } finally {
            lock.unlock();
        }
        if (opened != null && !keeps) {
            close(opened);
        }
    }

    /**
     * Closes the connections that no statement has needed for a time, and forgets roles without any. Called
     * periodically.
     */
    void closeIdle(long idleNanos) {
        long now = System.nanoTime();
        closeReady(lanes.values(), ready -> now - ready.since > idleNanos || now - ready.opened > OLD_NANOS);
        lock.lock();
        try {
            lanes.values().removeIf(lane -> lane.isUnused(now));
        } finally {
            lock.unlock();
        }
    }

    /** Closes the idle connections of some roles. */
    void closeRoles(Predicate<String> which) {
        List<Lane> unused =
                lanes.values().stream().filter(lane -> which.test(lane.role)).toList();
        if (!unused.isEmpty()) {
            closeReady(unused, ready -> true);
        }
    }

    /** Closes all existing connections, those in use after their statement. */
    void renew() {
        lock.lock();
        try {
            generation++;
        } finally {
            lock.unlock();
        }
        closeReady(lanes.values(), ready -> true);
    }

    private void closeReady(Collection<Lane> of, Predicate<Ready> which) {
        List<Connection> closing = new ArrayList<>();
        lock.lock();
        try {
            for (Lane lane : of) {
                for (Iterator<Ready> each = lane.ready.iterator(); each.hasNext(); ) {
                    Ready ready = each.next();
                    if (which.test(ready)) {
                        each.remove();
                        closed(lane);
                        closing.add(ready.connection);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        closing.forEach(RoleGroups::close);
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            LOG.debug("a connection did not close cleanly", e);
        }
    }

    @Override
    public void close() {
        opener = null;
        logins.shutdownNow();
        renew();
    }
}
