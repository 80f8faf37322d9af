package io.multimed.server.node;

import io.multimed.engine.Engine;
import io.multimed.engine.pool.ConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads and connections of the master for statements that run inside a commit group ({@link Engine#groupPool}). They are nobody else's: a transaction that
 * waits for the group must not hold what a member of the group needs. Few threads with one connection each, which take one statement after the other, need fewer
 * switches than many that wake up for one. Work that waits is bounded by the clients, each of which waits for one commit.
 */
public final class GroupWorkers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(GroupWorkers.class);

    private final Engine engine;
    private final ExecutorService threads;
    private final OpenConnections inUse;

    /** At most one task for each of {@link #threads}. */
    private final ScheduledThreadPoolExecutor watch;

    /** Replaced only by the node's owner. */
    private volatile ConnectionPool pool;

    /**
     * @param pool at least as large as {@code threads}; closed with the lane
     * @param criticalThreads receive failures of the lane's threads that would leave clients waiting
     */
    public GroupWorkers(String node, Engine engine, ConnectionPool pool, int threads, CriticalThreads criticalThreads) {
        this.engine = engine;
        this.pool = pool;
        this.inUse = new OpenConnections(engine);
        this.watch = new ScheduledThreadPoolExecutor(1, new NamedThreads(node + "-group-watch"));
        this.watch.setRemoveOnCancelPolicy(true);
        this.threads = Executors.newFixedThreadPool(threads, new NamedThreads(node + "-group", criticalThreads));
    }

    /** Runs work, which may block, on one of the lane's threads. */
    public void execute(Runnable work) {
        try {
            threads.execute(work);
        } catch (RejectedExecutionException e) {
            work.run(); // shutting down: it fails for want of a connection
        }
    }

    /** For work on one of the lane's threads, which gives it back or discards it. Never waits for another thread. */
    public Connection connection() throws SQLException {
        Connection connection = inUse.add(pool.getConnection());
        engine.dialect().beginUse(connection);
        return connection;
    }

    /** The connections of statements that run here. */
    public OpenConnections inUse() {
        return inUse;
    }

    /** Returns a connection after its statement; closes it if it is broken, or if its session was changed. */
    public void returnConnection(Connection connection) {
        inUse.remove(connection);
        try {
            if (!connection.isClosed() && engine.dialect().hasReportedChanges(connection)) {
                pool.evict(connection);
            }
            connection.close();
        } catch (SQLException e) {
            LOG.debug("a connection did not close cleanly", e);
        }
    }

    /** Restores the initial state of a session after a statement that failed and may have changed it. */
    public void reset(Connection connection) {
        try {
            if (!Lease.isBroken(connection)) {
                engine.dialect().resetSession(connection);
            }
        } catch (SQLException e) {
            LOG.debug("a session could not be reset", e);
            pool.evict(connection);
        }
    }

    /** Closes a connection whose state cannot be trusted any more. */
    public void discard(Connection connection) {
        inUse.remove(connection);
        pool.evict(connection);
    }

    /** As {@link ComputationalNode#isStarved}. */
    public boolean isStarved() {
        return pool.isStarved();
    }

    /** Other connections, after the engine was away: a pool that waits for it tries ever more seldom. */
    public void renew(ConnectionPool next) {
        ConnectionPool old = pool;
        pool = next;
        old.close();
    }

    /** See {@link ComputationalNode#renewConnections}. */
    public void renewConnections() {
        pool.renew();
    }

    /** Runs something again and again until it is cancelled: for work that must not take long. It may block, and others with it. */
    public Future<?> every(long millis, Runnable action) {
        return watch.scheduleWithFixedDelay(action, millis, millis, TimeUnit.MILLISECONDS);
    }

    /** The engine's own number of the connection's session. */
    public int session(Connection connection) {
        return engine.session(connection);
    }

    @Override
    public void close() {
        NamedThreads.stop(threads);
        watch.shutdownNow();
        pool.close();
    }
}
