// SPDX-License-Identifier: Apache-2.0
// Copyright The Multimed authors
package io.multimed.server.node.group;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.ConnectionPool;
import io.multimed.server.node.ComputationalNode;
import io.multimed.server.node.CriticalThreads;
import io.multimed.server.node.Lease;
import io.multimed.server.node.NamedThreads;
import io.multimed.server.node.OpenConnections;
import io.multimed.server.node.PreparedPlans;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads and connections of the master for statements that run inside a commit group ({@link Engine#groupPool}). They
 * are separate from the threads and connections of clients' transactions: a transaction that waits for the group must
 * not hold a connection that a member of the group needs. A few threads with one connection each, which run one
 * statement after the other, need fewer context switches than many threads that wake up for one statement. The task
 * queue is bounded by the number of clients, each of which waits for one commit. Statements of users with a role have
 * connections of that role, and share the threads.
 */
public final class GroupWorkers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupWorkers.class);

    private static final long TICK_MILLIS = 10;

    /** Interval between searches for sessions that clients have left without a reset. */
    private static final long RESET_MILLIS = 1_000;

    /** Interval between searches for connections of roles that are idle. */
    private static final long IDLE_CHECK_MILLIS = 5_000;

    /** Pause after a connection could not be opened. */
    private static final long UNAVAILABLE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Number of ticks without an action after which the watch thread sleeps. */
    private static final int MAX_IDLE_TICKS = 100;

    private final Engine engine;
    private final ExecutorService threads;
    private final OpenConnections inUse;
    private final RoleGroups roles;

    /** Runs the periodic tasks of {@link #every}; at most one task per thread of {@link #threads}. */
    private final ScheduledThreadPoolExecutor watch;

    /** The actions of {@link #addTick}. */
    private final Set<Runnable> watched = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean ticking = new AtomicBoolean();

    /** Whether a thread resets sessions of idle connections, or will do so. */
    private final AtomicBoolean resetting = new AtomicBoolean();

    private final PreparedPlans plans = new PreparedPlans();

    private final GroupSessions sessions;

    /** Replaced only by the owner of the node. */
    private volatile ConnectionPool pool;

    /** Time until which statements run outside of groups, by {@link System#nanoTime}; see {@link #isReady}. */
    private volatile long unavailableUntil = System.nanoTime();

    /**
     * @param pool at least as large as {@code threads}; closed together with this object
     * @param criticalThreads receives failures of the threads that would leave clients waiting
     */
    public GroupWorkers(String node, Engine engine, ConnectionPool pool, int threads, CriticalThreads criticalThreads) {
        this.engine = engine;
        this.pool = pool;
        this.inUse = new OpenConnections(engine);
        this.sessions = new GroupSessions(engine, inUse);
        this.watch = new ScheduledThreadPoolExecutor(1, new NamedThreads(node + "-group-watch"));
        this.watch.setRemoveOnCancelPolicy(true);
        this.threads = new NamedThreads(node + "-group", criticalThreads).lastInFirstOut(threads);
        this.roles = new RoleGroups(node, engine, this::execute, threads);
        Future<?> unused = every(RESET_MILLIS, this::resetIdleLater); // ends with the threads
    }

    private void resetIdleLater() {
        if (sessions.areResetsDue() && resetting.compareAndSet(false, true)) {
            execute(() -> {
                try {
                    sessions.resetIdle();
                } finally {
                    resetting.set(false);
                }
            });
        }
    }

    /** Permits that statements of roles run on these threads; all roles together have one connection per thread. */
    public void serveRoles(GroupConnectionOpener opener) {
        roles.openBy(opener);
        Future<?> unused =
                every(IDLE_CHECK_MILLIS, () -> roles.closeIdle(RoleGroups.IDLE_NANOS)); // ends with the threads
    }

    /**
     * Returns whether statements of a role can run here now; otherwise they run outside of groups, until the role has a
     * connection. After the engine has refused a connection, for which the other members of a group have waited, no
     * statement runs here for a second. Does not block.
     */
    public boolean isReady(@Nullable String role) {
        return role == null ? System.nanoTime() - unavailableUntil >= 0 : roles.isReady(role);
    }

    /** As {@link #execute(Runnable)}, for a task that needs a connection of the role. */
    public void execute(@Nullable String role, Runnable work) {
        if (role == null) {
            execute(work);
        } else {
            roles.execute(role, work);
        }
    }

    /** Runs a task, which may block, on one of the threads. */
    public void execute(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            work.run(); // shutting down: the task fails because it gets no connection
        }
    }

    /**
     * Returns a connection for a task on one of the threads, which returns or discards it. Never waits for another
     * thread.
     */
    public Connection connection() throws SQLException {
        return ownConnection(GroupSession.NO_CLIENT);
    }

    /** @param session to whose last use the engine's session may still belong */
    private Connection ownConnection(long session) throws SQLException {
        Connection connection;
        try {
            connection = pool.getConnection();
        } catch (SQLException e) {
            unavailableUntil = System.nanoTime() + UNAVAILABLE_NANOS;
            throw e;
        }
        restore(inUse.add(connection), session);
        return begin(connection);
    }

    /** Restores the initial state of the engine's session if another client has left the session without. */
    private void restore(Connection connection, long session) throws SQLException {
        boolean restored = false;
        try {
            sessions.beginUse(connection, session);
            restored = true;
        } finally {
            if (!restored) {
                discard(connection);
            }
        }
    }

    /** Makes a connection ready for a statement. A connection that fails is not used again. */
    private Connection begin(Connection connection) throws SQLException {
        try {
            plans.discardStale(
                    connection.unwrap(Connection.class),
                    () -> engine.dialect().transactions().discardPlans(connection));
            engine.dialect().sessions().beginUse(connection);
            return connection;
        } catch (SQLException e) {
            discard(connection);
            throw e;
        }
    }

    /** Notes a change of the schema that is visible now: connections discard the statements that they have prepared. */
    public void noteSchemaChange() {
        plans.noteSchemaChange();
    }

    /**
     * As {@link #connection()}, for a statement of one client that only changes rows. The engine's session may still be
     * as the last statement of this client has left it.
     */
    public Connection connectionOf(long session) throws SQLException {
        return ownConnection(session);
    }

    /** Returns the engine's session of a connection in use. */
    public GroupSession sessionOf(Connection connection) throws SQLException {
        return sessions.of(connection);
    }

    /**
     * As {@link #connection()}, as a role. Waits at most for other statements of the role that are running.
     *
     * @throws SQLException 57000 if the role has no connection: the statement must run outside of its group
     */
    public Connection connection(@Nullable String role) throws SQLException {
        if (role == null) {
            return connection();
        }
        return begin(inUse.add(roles.take(role)));
    }

    /** Returns the connections of the statements that run on these threads. */
    public OpenConnections inUse() {
        return inUse;
    }

    /** Returns a connection after its statement; closes it if it is broken, or if its session was changed. */
    public void returnConnection(Connection connection) {
        inUse.remove(connection);
        if (roles.has(connection)) {
            roles.giveBack(connection);
            return;
        }
        try {
            if (connection.isClosed()) {
                return;
            }
            if (engine.dialect().sessions().hasReportedChanges(connection)) {
                pool.evict(connection);
                return;
            }
            GroupSession session = sessions.of(connection);
            connection.close();
            session.endUse();
        } catch (SQLException e) {
            LOG.debug("a connection did not close cleanly", e);
        }
    }

    /** Restores the initial state of a session after a statement that failed and may have changed it. */
    public void reset(Connection connection) {
        if (roles.has(connection)) {
            roles.clear(connection);
            return;
        }
        try {
            if (!Lease.isBroken(connection)) {
                sessions.reset(connection);
            }
        } catch (SQLException e) {
            LOG.debug("a session could not be reset", e);
            pool.evict(connection);
        }
    }

    /** Closes a connection whose state is unknown. */
    public void discard(Connection connection) {
        inUse.remove(connection);
        if (roles.has(connection)) {
            roles.drop(connection);
        } else {
            pool.evict(connection);
        }
    }

    /** Returns whether the pool could not open a connection for a while: see {@link ComputationalNode#isStarved}. */
    public boolean isStarved() {
        return pool.isStarved();
    }

    /**
     * Replaces the pool after the engine was unreachable: a pool that waits for an engine retries at growing intervals.
     */
    public void renew(ConnectionPool next) {
        ConnectionPool old = pool;
        pool = next;
        old.close();
        roles.renew();
    }

    /** Closes the idle connections of some roles. */
    public void closeRoles(Predicate<String> which) {
        roles.closeRoles(which);
    }

    /** Closes all connections of roles, because passwords have changed. */
    public void reopenRoles() {
        roles.renew();
    }

    /**
     * Closes all existing connections, those in use after their statement: see {@link
     * ComputationalNode#renewConnections}.
     */
    public void renewConnections() {
        pool.renew();
        roles.renew();
    }

    /**
     * Runs an action periodically until the returned future is canceled. The action must be short: all periodic
     * actions share one thread.
     */
    public Future<?> every(long millis, Runnable action) {
        return watch.scheduleWithFixedDelay(action, millis, millis, TimeUnit.MILLISECONDS);
    }

    /**
     * Runs an action about every 10 ms until {@link #removeTick}. The action must be short. Costs no timer for each
     * action: under load the watch thread ticks continuously.
     */
    public void addTick(Runnable action) {
        watched.add(action);
        if (ticking.compareAndSet(false, true)) {
            tick(0);
        }
    }

    /** Ends {@link #addTick}. The action may still be running. */
    public void removeTick(Runnable action) {
        watched.remove(action);
    }

    private static void runTick(Runnable action) {
        try {
            action.run();
        } catch (RuntimeException e) {
            LOG.warn("a periodic action failed", e);
        }
    }

    /** @param idle number of ticks since there was an action */
    @SuppressWarnings("FutureReturnValueIgnored") // The task throws no exception.
    private void tick(int idle) {
        try {
            watch.schedule(
                    () -> {
                        int unused = watched.isEmpty() ? idle + 1 : 0;
                        watched.forEach(GroupWorkers::runTick);
                        if (unused < MAX_IDLE_TICKS) {
                            tick(unused);
                            return;
                        }
                        ticking.set(false);
                        if (!watched.isEmpty() && ticking.compareAndSet(false, true)) {
                            tick(0);
                        }
                    },
                    TICK_MILLIS,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("shutting down", e);
        }
    }

    /** Returns the engine's identifier of the connection's session. */
    public int session(Connection connection) {
        return engine.session(connection);
    }

    @Override
    public void close() {
        NamedThreads.stop(threads);
        watch.shutdownNow();
        roles.close();
        pool.close();
    }
}
